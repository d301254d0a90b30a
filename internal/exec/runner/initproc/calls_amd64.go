package initproc

const sysSeccomp = 317
