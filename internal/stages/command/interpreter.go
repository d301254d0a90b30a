package command

import "github.com/smtpipe/smtpipe/internal/cache"

// ExtendKey implements stages.KeyExtender: a newer interpreter may produce different results.
func (act *action) ExtendKey(k *cache.KeyWriter) { act.executedBy.WriteKey(k) }
