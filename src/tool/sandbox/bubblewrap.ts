import { release } from 'node:os'
import { basename, dirname } from 'node:path'
import { isWithin } from '../../platform.ts'

/** What a program may reach. All paths are absolute and without links, and exist. */
export interface Confinement {
  /** Folders that it may write, beside a `/tmp` of its own. */
  readonly writable: readonly string[]
  /** Folders and files that it may read although they lie in a hidden one. */
  readonly readable: readonly string[]
  /** Places that are not there: an empty folder or an empty file stands for each. */
  readonly hidden: readonly Hidden[]
  /** Entries of writable folders that it may read and not write. */
  readonly readOnly: readonly string[]
  /**
   * Which file or folder is meant by each read-only path, and by each folder that holds one or a hidden one, as
   * `DEVICE:INODE`. Absent: nothing is checked. Otherwise the program starts only where each cover in a writable folder lies
   * on what it is meant for.
   */
  readonly identities?: ReadonlyMap<string, string | undefined>
  /** The home of the person, which is hidden: an empty one is there instead. */
  readonly home?: string | undefined
  readonly network: boolean
  readonly folder: string
  /** The most memory that one process may fill with data, KiB. */
  readonly memoryKiB: number
}

export interface Hidden {
  readonly path: string
  readonly kind: 'folder' | 'file'
}

/** The size of the folders that exist only for the run, bytes each. */
const TEMPORARY_BYTES = 1_073_741_824

/** Processes of its own. As root, even without capabilities, a program could change the settings of the kernel, which are everybody's. */
const PROCESSES = ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys']

/** What confines a program. */
export interface Bubblewrap {
  /** Absolute. */
  readonly path: string
  /** A file with the bytes of `syscallFilter`; absent where the kernel takes no filter. */
  readonly filter?: string
  /** It can forbid further user namespaces, as it can from 0.8 on. */
  readonly forbidsNamespaces?: boolean
  /** While it covers places in writable folders it sees no more than the program will. */
  readonly narrows?: boolean
}

/**
 * bubblewrap finds sources below `/oldroot`, the whole disk, and places below `/newroot`, by path. From here on what the program will
 * see stands at `/oldroot` too, so a folder that a program exchanges for a link meanwhile leads to nothing else.
 */
export const NARROW = ['--bind-try', '/../newroot', '/../oldroot']

/** Opens the filter and sets the limits of the process that then becomes bubblewrap, in KiB. A lower limit that holds already stays. */
const LIMITED = `ulimit -c 0; ulimit -d "$1" 2>/dev/null; [ -z "$2" ] || exec 9<"$2"; shift 2`

/** The priority is set before the program can start others; `nice` has a fixed path, since the program can write folders of `PATH`. */
const AFTER_OTHERS = '[ ! -x /usr/bin/nice ] || exec /usr/bin/nice -n 10 "$@"'

/** The most processes and threads of one sandbox. Who counts the processes from outside is too slow for one that multiplies. */
const MOST_TASKS = 1024

/** Before 5.14 Linux counted what the person runs elsewhere, too. What root starts it never counts. */
const COUNTS_TASKS = /^(?:[6-9]|\d\d|5\.(?:1[4-9]|[2-9]\d))/.test(release())

/** The beginning of what the shell says that becomes the program. */
export const LIMITER = 'foreword-sandbox'

/** Sets the limits of the process that then becomes the program: `-p` is what some shells call `-u`. */
const LIMITED_INSIDE = `{ echo 10 >/proc/self/autogroup; ${
  COUNTS_TASKS ? `ulimit -u ${MOST_TASKS} || ulimit -p ${MOST_TASKS}; ` : ''
}} 2>/dev/null; exec "$@"`

/** All that a sandbox says in which a cover does not lie where it belongs; it ends with `MISPLACED_CODE` then. */
export const MISPLACED = `${LIMITER}: a folder was exchanged while the sandbox was made\n`
export const MISPLACED_CODE = 125

/**
 * Looks at covers in folders that it holds open, so that nobody can exchange them meanwhile: `at` goes to one, `apart` sees that
 * something in it is a mount of its own, and `same` compares what is in the held ones with what is meant. Paths of mounts could be
 * exchanged; the number of the mount of an open file cannot.
 */
const CHECKS = `exec 2>/dev/null; PATH=/usr/bin:/bin:/run/current-system/sw/bin
mounted() { exec 9<"$1"; while read -r key value; do [ "$key" != mnt_id: ] || return 0; done </proc/self/fdinfo/9; exit 1; }
at() { cd -P "$1" || exit 1; mounted .; folder=$value; }
same() { expected=$1; shift; [ "$(stat -c %d:%i -- "$@")" = "$expected" ] || exit 1; }
apart() { mounted "$1"; [ "$value" != "$folder" ] || exit 1; }
`

/**
 * The program that runs `argv` in a sandbox of bubblewrap, without a shell reading any of it: the disk is read-only, what
 * is hidden is not there, and what is writable or readable is put back on top; processes, network, names and shared memory
 * are its own, and it has no capabilities. Later entries win over earlier ones, so hidden places inside of writable ones
 * come last.
 */
export function bubblewrapArgv(bubblewrap: Bubblewrap, argv: readonly string[], confinement: Confinement): string[] {
  const { writable, readable, hidden, home, network, folder, memoryKiB, identities } = confinement
  const shown = [...readable, ...writable]
  // What lies in a writable folder comes with it: another program may exchange it for a link before it is mounted.
  const apart = (path: string) => !writable.some((one) => isBelow(one, path))
  const inside = hidden.filter(({ path }) => shown.some((one) => isBelow(one, path)))
  const outside = hidden.filter(
    (one) => !inside.includes(one) && (one.path === home || !hidden.some((other) => isBelow(other.path, one.path))),
  )
  // What is hidden stays so, also where it is a file of the owner as well.
  const readOnly = confinement.readOnly.filter((path) => !inside.some((one) => isWithin(one.path, path)))
  const covers = [...inside, ...readOnly.map((path) => ({ path, kind: 'read-only' as const }))]
  return [
    limited(bubblewrap, memoryKiB),
    ['--ro-bind', '/', '/', '--dev', '/dev', ...PROCESSES],
    outside.flatMap(hide),
    readable.filter(apart).flatMap((path) => ['--ro-bind', path, path]),
    writable.filter(apart).flatMap((path) => ['--bind', path, path]),
    bubblewrap.narrows ? NARROW : [],
    inside.flatMap(hide),
    readOnly.flatMap((path) => ['--ro-bind', path, path]),
    network ? ['--unshare-all', '--share-net'] : ['--unshare-all'],
    ['--die-with-parent', '--new-session', '--cap-drop', 'ALL', ...walls(bubblewrap), '--chdir', folder, '--'],
    checkedArgv(identities ? covers.filter(({ path }) => !apart(path)) : [], identities ?? new Map(), argv),
  ].flat()
}

/** How many folders the shell holds open: it knows descriptors of one digit, and a process for each folder is too slow. */
const MOST_HELD = 6

/** The shell that sees covers at their places and then becomes the program. Where there are none it starts nothing else. */
function checkedArgv(
  covers: readonly { readonly path: string; readonly kind: Hidden['kind'] | 'read-only' }[],
  identities: ReadonlyMap<string, string | undefined>,
  argv: readonly string[],
): readonly string[] {
  const words: string[] = []
  const expected: (string | undefined)[] = []
  const held: string[] = []
  // The text of the shell has only numbers of words.
  const word = (text: string) => `"\${${words.push(text)}}"`
  const meant = (path: string) =>
    identities.get(path)?.replaceAll(/-\d+/g, (part) => `${BigInt.asUintN(64, BigInt(part))}`)
  // What lies in a hidden folder is gone with it, and a mount covers what is below.
  const outer = covers.filter(
    ({ path, kind }) =>
      !covers.some((other) => isBelow(other.path, path) && (other.kind !== 'read-only' || kind === other.kind)),
  )
  const folders = [...Map.groupBy(outer, ({ path }) => dirname(path))]
  const lines = folders.flatMap(([folder, inFolder], index) => {
    const descriptor = 3 + (index % MOST_HELD)
    const seen = inFolder.map(({ path, kind }) => {
      const name = word(`./${basename(path)}`)
      if (kind === 'file') return `[ -c ${name} ] && [ ! -L ${name} ] || exit 1`
      // What cannot be opened shows no mount, and is not read or written.
      return kind === 'folder' ? `apart ${name}` : `[ ! -r ${name} ] || apart ${name}`
    })
    const kept = inFolder.flatMap(({ path, kind }) => (kind === 'read-only' ? [path] : []))
    expected.push(...[folder, ...kept].map(meant))
    held.push(
      ...['.', ...kept.map((path) => basename(path))].map((name) => word(`/proc/self/fd/${descriptor}/${name}`)),
    )
    const isLast = descriptor === 2 + MOST_HELD || index === folders.length - 1
    const compared = isLast ? [`same ${word(expected.splice(0).join('\n'))} ${held.splice(0).join(' ')}`] : []
    return [`at ${word(folder)}; exec ${descriptor}<.`, ...seen, ...compared]
  })
  if (lines.length === 0) return ['/bin/sh', '-c', LIMITED_INSIDE, LIMITER, ...argv]
  const refuse = `{ echo '${MISPLACED.trim()}' >&2; exit ${MISPLACED_CODE}; }`
  const script = `(${CHECKS}${lines.join('\n')}\n) || ${refuse}\nshift ${words.length}; ${LIMITED_INSIDE}`
  return ['/bin/sh', '-c', script, LIMITER, ...words, ...argv]
}

/** A program that needs its own files alone. */
export interface ClosedProgram {
  /** The program, by its absolute path, and its arguments. */
  readonly argv: readonly string[]
  /** Files and folders that it may read, absolute. Nothing else of the disk is there. */
  readonly readable: readonly string[]
  /** Folders that it may change, absolute. */
  readonly writable?: readonly string[]
  /** The most memory that one process may fill with data, KiB. */
  readonly memoryKiB: number
  /** It does not come after other work, as it would for minutes on a busy machine. */
  readonly isUrgent?: boolean
}

/** The same for a program with nothing but what it is given: no network, no other processes. Open descriptors stay. */
export function closedArgv(bubblewrap: Bubblewrap, program: ClosedProgram): string[] {
  const { argv, readable, writable = [], memoryKiB, isUrgent } = program
  return [
    limited(bubblewrap, memoryKiB, isUrgent),
    ['--dev', '/dev', '--proc', '/proc'],
    readable.flatMap((path) => ['--ro-bind', path, path]),
    writable.flatMap((path) => ['--bind', path, path]),
    ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', ...walls(bubblewrap), '--chdir', '/'],
    // Only now: the places for the others had to be made.
    ['/proc', '/dev', '/'].flatMap((path) => ['--remount-ro', path]),
    ['--', ...argv],
  ].flat()
}

function limited({ path, filter = '' }: Bubblewrap, memoryKiB: number, isUrgent = false): readonly string[] {
  const script = isUrgent ? LIMITED : `${LIMITED}; ${AFTER_OTHERS}`
  return ['/bin/sh', '-c', `${script}; exec "$@"`, 'sh', String(memoryKiB), filter, path]
}

function walls({ filter, forbidsNamespaces }: Bubblewrap): readonly string[] {
  return [
    ...(filter === undefined ? [] : ['--seccomp', '9']),
    ...(forbidsNamespaces ? ['--unshare-user', '--disable-userns'] : []),
  ]
}

function hide({ path, kind }: Hidden): readonly string[] {
  if (kind === 'file') return ['--ro-bind', '/dev/null', path]
  return ['--size', String(TEMPORARY_BYTES), '--tmpfs', path]
}

export function isBelow(folder: string, path: string): boolean {
  return path !== folder && isWithin(folder, path)
}
