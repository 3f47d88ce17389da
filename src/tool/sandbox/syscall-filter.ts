/** Numbers of Linux, by `process.arch`: of the machine, and of its system calls. */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    /** Numbers from here on are those of x32, which has all calls a second time. */
    others: 0x40000000,
    calls: {
      open: 2,
      creat: 85,
      chmod: 90,
      fchmod: 91,
      mknod: 133,
      openat: 257,
      mknodat: 259,
      fchmodat: 268,
      openat2: 437,
      fchmodat2: 452,
      socket: 41,
      clone: 56,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      unshare: 272,
      perf_event_open: 298,
      bpf: 321,
      userfaultfd: 323,
      io_uring_setup: 425,
      clone3: 435,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      mknodat: 33,
      fchmod: 52,
      fchmodat: 53,
      openat: 56,
      openat2: 437,
      fchmodat2: 452,
      unshare: 97,
      socket: 198,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      clone: 220,
      perf_event_open: 241,
      bpf: 280,
      userfaultfd: 282,
      io_uring_setup: 425,
      clone3: 435,
    },
  },
}

interface Machine {
  readonly audit: number
  readonly others?: number
  readonly calls: Readonly<Partial<Record<CallName, number>>>
}

type CallName = (typeof RULES)[number]['call']

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const CLONE_NEWUSER = 0x10000000
const AF_VSOCK = 40
/** A program with these bits runs as the owner of the file for anyone who starts it. */
const SETUID_SETGID = 0o6000
/** `O_CREAT`, or `O_TMPFILE`: a file that gets its name later. */
const CREATES = 0o100 | 0o20000000

/**
 * Calls that a program in the sandbox does not need: keys of the session, which no namespace separates; sockets to the host of a
 * virtual machine; parts of the kernel with many weaknesses; and new user namespaces, in which it would have all capabilities.
 * `clone3` has its flags in memory, where a filter cannot look: libraries then use `clone`. No file gets the bits that
 * make it run as its owner; `openat2` has its mode in memory.
 */
const RULES = [
  { call: 'keyctl', error: EPERM },
  { call: 'add_key', error: EPERM },
  { call: 'request_key', error: EPERM },
  { call: 'bpf', error: EPERM },
  { call: 'userfaultfd', error: EPERM },
  { call: 'perf_event_open', error: EPERM },
  { call: 'io_uring_setup', error: ENOSYS },
  { call: 'clone3', error: ENOSYS },
  { call: 'clone', flags: [[0, CLONE_NEWUSER]], error: EPERM },
  { call: 'unshare', flags: [[0, CLONE_NEWUSER]], error: EPERM },
  { call: 'socket', value: AF_VSOCK, error: EAFNOSUPPORT },
  { call: 'chmod', flags: [[1, SETUID_SETGID]], error: EPERM },
  { call: 'fchmod', flags: [[1, SETUID_SETGID]], error: EPERM },
  { call: 'fchmodat', flags: [[2, SETUID_SETGID]], error: EPERM },
  { call: 'fchmodat2', flags: [[2, SETUID_SETGID]], error: EPERM },
  { call: 'creat', flags: [[1, SETUID_SETGID]], error: EPERM },
  { call: 'mknod', flags: [[1, SETUID_SETGID]], error: EPERM },
  { call: 'mknodat', flags: [[2, SETUID_SETGID]], error: EPERM },
  // Where nothing is created the mode is whatever was in the register.
  {
    call: 'open',
    flags: [
      [1, CREATES],
      [2, SETUID_SETGID],
    ],
    error: EPERM,
  },
  {
    call: 'openat',
    flags: [
      [2, CREATES],
      [3, SETUID_SETGID],
    ],
    error: EPERM,
  },
  { call: 'openat2', error: ENOSYS },
] as const

/** Of `struct seccomp_data`: where the number, the machine and the low half of the first argument are, bytes. */
const NUMBER = 0
const MACHINE = 4
const FIRST = 16

/** Instructions of classic BPF. */
const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff0000
const FAIL = 0x00050000

/** A program for `seccomp` that refuses these calls and lets all others pass; `undefined` for a machine whose numbers are not known. */
export function syscallFilter(arch: string): Uint8Array | undefined {
  const machine = MACHINES[arch]
  if (!machine) return undefined
  const { audit, others, calls } = machine
  return assembled([
    [LOAD, MACHINE],
    // Calls in the way of another machine have other numbers.
    ...unless(IF_EQUAL, audit, [[RETURN, FAIL | ENOSYS]]),
    [LOAD, NUMBER],
    ...(others === undefined ? [] : when(IF_AT_LEAST, others, [[RETURN, FAIL | ENOSYS]])),
    ...RULES.flatMap((rule) => {
      const number = calls[rule.call]
      return number === undefined ? [] : when(IF_EQUAL, number, refusal(rule))
    }),
    [RETURN, ALLOW],
  ])
}

type Instruction = readonly [code: number, value: number, whenTrue?: number, whenFalse?: number]

function refusal(rule: (typeof RULES)[number]): readonly Instruction[] {
  const refuse: Instruction = [RETURN, FAIL | rule.error]
  if ('flags' in rule) {
    const all = rule.flags.reduceRight<readonly Instruction[]>(
      (then, [argument, bits]) => [[LOAD, FIRST + 8 * argument], ...when(IF_ANY_BIT, bits, then)],
      [refuse],
    )
    return [...all, [RETURN, ALLOW]]
  }
  if ('value' in rule) return [[LOAD, FIRST], ...when(IF_EQUAL, rule.value, [refuse]), [RETURN, ALLOW]]
  return [refuse]
}

function when(test: number, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[test, value, 0, then.length], ...then]
}

function unless(test: number, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[test, value, then.length, 0], ...then]
}

/** Both machines have the lowest byte first. */
function assembled(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8))
  for (const [index, [code, value, whenTrue = 0, whenFalse = 0]] of instructions.entries()) {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, whenTrue)
    bytes.setUint8(index * 8 + 3, whenFalse)
    bytes.setUint32(index * 8 + 4, value, true)
  }
  return new Uint8Array(bytes.buffer)
}
