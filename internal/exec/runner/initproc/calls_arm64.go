package initproc

const sysSeccomp = 277
