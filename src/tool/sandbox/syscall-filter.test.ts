import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { syscallFilter } from './syscall-filter.ts'
import { bubblewrapArgv } from './bubblewrap.ts'
import { findSandbox, missingWalls, trySandbox } from './find-bubblewrap.ts'

/** What the kernel would answer to a call: 0 lets it pass, else the number of the error. */
function answer(filter: Uint8Array, audit: number, call: number, first = 0): number {
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, call, true)
  data.setUint32(4, audit, true)
  data.setUint32(16, first, true)
  const program = new DataView(filter.buffer)
  let loaded = 0
  for (let at = 0; ; at++) {
    const value = program.getUint32(at * 8 + 4, true)
    const jump = (isTrue: boolean) => (at += program.getUint8(at * 8 + (isTrue ? 2 : 3)))
    switch (program.getUint16(at * 8, true)) {
      case 0x20:
        loaded = data.getUint32(value, true)
        break
      case 0x15:
        jump(loaded === value)
        break
      case 0x35:
        jump(loaded >= value)
        break
      case 0x45:
        jump((loaded & value) !== 0)
        break
      default:
        return value === 0x7fff0000 ? 0 : value & 0xffff
    }
  }
}

const NEW_USER = 0x10000000
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]

/** Numbers of the calls: keys, kernel, rings, clone3, clone, unshare, socket, write. */
const NUMBERS = {
  x64: [0xc000003e, [248, 249, 250], [321, 323, 298], 425, 435, 56, 272, 41, 1],
  arm64: [0xc00000b7, [217, 218, 219], [280, 282, 241], 425, 435, 220, 97, 198, 64],
} as const

for (const arch of ['x64', 'arm64'] as const) {
  test(`the filter for ${arch} refuses what no program in the sandbox needs, and nothing else`, () => {
    const filter = syscallFilter(arch)!
    const [audit, keys, kernel, rings, clone3, clone, unshare, socket, write] = NUMBERS[arch]
    for (const call of [...keys, ...kernel]) assert.equal(answer(filter, audit, call), EPERM, String(call))
    for (const call of [rings, clone3]) assert.equal(answer(filter, audit, call), ENOSYS)
    for (const call of [clone, unshare]) {
      assert.equal(answer(filter, audit, call, NEW_USER | 17), EPERM)
      assert.equal(answer(filter, audit, call, 17), 0)
    }
    assert.equal(answer(filter, audit, socket, 40), EAFNOSUPPORT)
    for (const family of [1, 2, 10, 16]) assert.equal(answer(filter, audit, socket, family), 0)
    for (const call of [0, write, 436, 1000]) assert.equal(answer(filter, audit, call), 0)
    // The calls of 32 bits and of x32 have other numbers.
    assert.equal(answer(filter, 0x40000003, write), ENOSYS)
    assert.equal(answer(filter, audit, 0x40000000 | write), arch === 'x64' ? ENOSYS : 0)
  })
}

test('a machine whose numbers are not known has no filter, and the doctor names what is missing', () => {
  assert.equal(syscallFilter('s390x'), undefined)
  assert.deepEqual(missingWalls({ path: '/usr/bin/bwrap', filter: '/f', narrows: true }), [])
  assert.deepEqual(missingWalls({ path: '/usr/bin/bwrap', forbidsNamespaces: true, narrows: true }).length, 1)
  assert.match(missingWalls({ path: '/usr/bin/bwrap', filter: '/f' }).join('; '), /lead bubblewrap to files outside/)
  assert.match(missingWalls({ path: '/usr/bin/bwrap' }).join('; '), /seccomp.*user namespaces/)
})

const found = await findSandbox()
const isX64 = process.arch === 'x64' && existsSync('/usr/bin/perl')
const skip = found.type === 'none' ? found.why : isX64 ? false : 'it makes system calls of x64 with perl'

/** Makes system calls, and prints each with the number of its error or `done`. */
const CALLS = `
my %calls = (keyctl => [250, 0, -3, 0], add_key => [248, 0, 0, 0, 0, -3], request_key => [249, 0, 0, 0, 0], bpf => [321, 0, 0, 0],
  userfaultfd => [323, 1], perf_event_open => [298, 0, 0, -1, -1, 0], io_uring_setup => [425, 1, 0], clone3 => [435, 0, 0],
  vsock => [41, 40, 1, 0], unshare => [272, ${NEW_USER}], x32 => [0x40000027], local => [41, 1, 1, 0], getpid => [39]);
for my $name (sort keys %calls) {
  my ($call, @words) = @{$calls{$name}};
  my $answer = syscall($call, @words);
  print "$name ", ($answer == -1 ? $!+0 : "done"), "\\n";
}`

function calls(bubblewrap: Parameters<typeof bubblewrapArgv>[0]): Readonly<Record<string, string>> {
  const confinement = {
    writable: [],
    readable: [],
    hidden: [],
    readOnly: [],
    network: false,
    folder: '/',
    memoryKiB: 1_048_576,
  }
  const [program, ...words] = bubblewrapArgv(bubblewrap, ['/usr/bin/perl', '-e', CALLS], confinement)
  const printed = execFileSync(program!, words, { encoding: 'utf8', env: {} })
  return Object.fromEntries(
    printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
}

test('a program in the sandbox makes none of these calls', { skip }, () => {
  assert.ok(found.type === 'bubblewrap')
  assert.deepEqual(calls(found), {
    add_key: '1',
    bpf: '1',
    clone3: '38',
    getpid: 'done',
    io_uring_setup: '38',
    keyctl: '1',
    local: 'done',
    perf_event_open: '1',
    request_key: '1',
    unshare: '1',
    userfaultfd: '1',
    vsock: '97',
    x32: '38',
  })
})

test('where no filter can be set, bubblewrap alone forbids new user namespaces', { skip }, async (t) => {
  assert.ok(found.type === 'bubblewrap')
  if (!found.forbidsNamespaces) return t.skip('this bubblewrap cannot')
  const { unshare, keyctl } = calls({ path: found.path, forbidsNamespaces: true })
  assert.notEqual(unshare, 'done')
  assert.equal(keyctl, 'done')
})

test('a filter that cannot be opened lets nothing run', { skip }, async () => {
  assert.ok(found.type === 'bubblewrap')
  const broken = { path: found.path, filter: '/nowhere' }
  const [program, ...words] = bubblewrapArgv(broken, ['/bin/true'], {
    writable: [],
    readable: [],
    hidden: [],
    readOnly: [],
    network: false,
    folder: '/',
    memoryKiB: 1_048_576,
  })
  assert.equal((await trySandbox(broken, [program!, ...words])).type, 'none')
})
