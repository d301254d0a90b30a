package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// sealForm is the last field of a sealed object: the CRC-32C of all preceding bytes.
const sealForm = ",\n  \"crc32c\": \"%08x\"\n}\n"

// sealJSON adds a checksum to an indented JSON object, to detect bit flips that leave it valid JSON.
func sealJSON(object []byte) []byte {
	body := object[:len(object)-len("\n}")]
	return fmt.Appendf(body, sealForm, crc32.Checksum(body, castagnoli))
}

// openJSON checks an object's checksum and decodes the object into v. Earlier versions wrote objects without checksums.
func openJSON(data []byte, v any) error {
	name, _, _ := strings.Cut(sealForm, "%")
	if at := len(data) - len(fmt.Sprintf(sealForm, 0)); at >= 0 && strings.HasPrefix(string(data[at:]), name) {
		if string(data[at:]) != fmt.Sprintf(sealForm, crc32.Checksum(data[:at], castagnoli)) {
			return errors.New("its checksum is wrong")
		}
	}
	return json.Unmarshal(data, v)
}
