import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../model.ts'
import { homeAt } from '../home/home.ts'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { isWithin, makePrivateFolder, syncFolder, publicAddress, type Clock } from '../../platform.ts'
import { CUT_OFF, parseCheckpoint } from '../../session.ts'
import { execFile } from 'node:child_process'
import { cleanEnvironment } from '../../tool.ts'

interface TargetSurroundings {
  readonly home: string
  readonly environment: Environment
}

/** The targets that `audit.checkpoints` names, each once. */
export function checkpointTargets(
  names: readonly string[],
  surroundings: TargetSurroundings,
): readonly CheckpointTarget[] {
  const targets = names.map((name) => checkpointTarget(name, surroundings))
  return [...new Map(targets.map((target) => [target.name, target])).values()]
}

function checkpointTarget(name: string, { home, environment }: TargetSurroundings): CheckpointTarget {
  const pathOf = (path: string) => absolutePath(path, home, environment)
  if (/^https?:\/\//.test(name)) return httpTarget(name)
  if (name === 'syslog') return syslogTarget({ name, environment })
  if (name.startsWith('syslog:')) {
    return syslogTarget({ name, socket: pathOf(name.slice('syslog:'.length)), environment })
  }
  if (name.startsWith('git:')) return gitTarget({ name, folder: pathOf(name.slice('git:'.length)), environment })
  return fileTarget(name, pathOf(name))
}

function absolutePath(path: string, home: string, environment: Environment): string {
  const own = environment['HOME']
  if (path.startsWith('~/') && own) return join(own, path.slice(2))
  return isAbsolute(path) ? path : join(home, path)
}

/** Why checkpoints must not be kept at this place; `undefined` where they may. Nothing that can reach the store may reach them. */
export function targetFault(target: CheckpointTarget, home: string, workspace: string): string | undefined {
  const { path } = target
  if (path === undefined) return undefined
  if (isWithin(resolve(homeAt(home).data), resolve(path)))
    return 'is inside `data`, where the store is: what removes one removes both'
  // Where the workspace has the home in it, tools are kept away from each file of the host.
  if (isWithin(resolve(workspace), resolve(path)) && !isWithin(resolve(workspace), resolve(home)))
    return 'is inside the workspace, where tools can write'
  return undefined
}

/** The log of the system, by its program `logger`. Only the system can read it back. */
function syslogTarget({
  name,
  socket,
  environment,
}: {
  readonly name: string
  /** An absolute path; the socket of the system unless given. */
  readonly socket?: string
  readonly environment: Environment
}): CheckpointTarget {
  const to = socket === undefined ? [] : ['--socket', socket, '--socket-errors=on']
  return {
    name,
    async append(line, signal) {
      // Without a socket `logger` says nothing and succeeds.
      const where = socket ?? '/dev/log'
      if (!existsSync(where)) throw new Error(`there is no ${where}`)
      const words = ['-t', 'foreword-audit', '-p', 'authpriv.notice', ...to, '--', line]
      await runHostProgram('logger', words, { environment, signal })
    },
  }
}

function fileTarget(name: string, path: string): CheckpointTarget {
  return {
    name,
    path,
    async append(line) {
      const isNew = !existsSync(path)
      if (isNew) await makePrivateFolder(dirname(path))
      const file = await open(path, 'a+', 0o600)
      try {
        await file.appendFile(`${await cutOffEnd(file)}${line}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      if (isNew) await syncFolder(dirname(path))
    },
    async read() {
      if (!existsSync(path)) return []
      const lines = (await readFile(path, 'utf8')).split('\n')
      const last = lines.pop()!
      if (last === '') return lines
      return [...lines, parseCheckpoint(last) ? last : `${last}${CUT_OFF}`]
    },
  }
}

const TAIL_BYTES = 16_384

/** What ends a line that a crash cut off. It is not removed: the file is never rewritten. */
async function cutOffEnd(file: FileHandle): Promise<string> {
  const { size } = await file.stat()
  const length = Math.min(size, TAIL_BYTES)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  const last = buffer.toString('utf8').split('\n').at(-1)!
  if (last === '') return ''
  return parseCheckpoint(last) ? '\n' : `${CUT_OFF}\n`
}

const TIMEOUT_MS = 10_000

/** An address that receives each line as the body of a POST. Any answer from 200 to 299 confirms it. */
function httpTarget(text: string): CheckpointTarget {
  const address = new URL(text)
  const { username, password } = address
  address.username = ''
  address.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return {
    name: publicAddress(text),
    async append(line, signal, clock) {
      const response = await fetch(address, {
        method: 'POST',
        body: `${line}\n`,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...(username === '' ? {} : { authorization: `Basic ${credentials}` }),
        },
        signal: AbortSignal.any([signal, clock.timeoutSignal(TIMEOUT_MS)]),
      }).catch((error: unknown) => {
        throw new Error(`${address.host} cannot be reached`, { cause: error })
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`${address.host} answered ${response.status}`)
    },
  }
}

/** The branch of checkpoints: a commit each. It is in no work tree. */
const REF = 'refs/foreword/audit'

/** Who the commits are by: the signature in the line says whose they are. */
const author = { name: 'Foreword', email: 'audit@foreword.invalid' }

/** A git repository, bare or not. Each commit follows the one before, so what is removed from the middle is missed as well. */
function gitTarget({
  name,
  folder,
  environment,
}: {
  readonly name: string
  readonly folder: string
  readonly environment: Environment
}): CheckpointTarget {
  const git = (words: readonly string[], input?: string, signal?: AbortSignal) =>
    runHostProgram('git', [...(isBare(folder) ? ['--git-dir', folder] : ['-C', folder]), ...words], {
      environment,
      variables: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
      },
      ...(input === undefined ? {} : { input }),
      ...(signal ? { signal } : {}),
    })
  const newest = async (signal?: AbortSignal) => {
    const found = await git(['for-each-ref', '--format=%(objectname)', REF], undefined, signal)
    return found.trim() === '' ? undefined : found.trim()
  }

  return {
    name,
    path: folder,
    async append(line, signal) {
      const parent = await newest(signal)
      const blob = (await git(['hash-object', '-w', '--stdin'], `${line}\n`, signal)).trim()
      const tree = (await git(['mktree'], `100644 blob ${blob}\tcheckpoint.json\n`, signal)).trim()
      const after = parent === undefined ? [] : ['-p', parent]
      const commit = (await git(['commit-tree', tree, ...after], `${line}\n`, signal)).trim()
      // Fails where somebody else has moved the ref since.
      await git(['update-ref', REF, commit, parent ?? '0'.repeat(commit.length)], undefined, signal)
    },
    async read() {
      if (!existsSync(folder)) return []
      const commit = await newest()
      if (commit === undefined) return []
      const text = await git(['log', '--reverse', '--first-parent', '--format=%B', commit])
      return text.split('\n').filter((line) => line !== '')
    },
  }
}

/** Git takes a bare repository for one only where it is named as one (`safe.bareRepository`). */
function isBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

/** A place outside the store to which checkpoints are appended, one line each. Nothing that was written is ever changed. */
export interface CheckpointTarget {
  readonly name: string
  /** The file or folder on this machine, which tools must keep away from. */
  readonly path?: string
  /** Resolves when the line is there. Rejects with what happened; the line is then written again later. */
  append(line: string, signal: AbortSignal, clock: Clock): Promise<void>
  /** All lines, oldest first; none where nothing was ever written. Absent where the place cannot be read back. */
  read?(): Promise<readonly string[]>
}

interface ProgramOptions {
  readonly environment: Environment
  readonly variables?: Readonly<Record<string, string>>
  readonly input?: string
  readonly signal?: AbortSignal
}

/** The most that a program may print, bytes: many years of checkpoints. */
const MOST_BYTES = 256 * 1024 * 1024

/** How long a program of the host may run, ms. */
const PROGRAM_MS = 30_000

/** Runs a program of the host without a shell and returns what it printed. Rejects with the last line of its errors. */
function runHostProgram(
  program: string,
  words: readonly string[],
  { environment, variables, input, signal }: ProgramOptions,
): Promise<string> {
  return new Promise((fulfil, reject) => {
    const options = {
      env: { ...cleanEnvironment(environment, variables) },
      maxBuffer: MOST_BYTES,
      timeout: PROGRAM_MS,
      ...(signal ? { signal } : {}),
    }
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (!error) return fulfil(stdout)
      const said = stderr.trim().split('\n').at(-1)
      const missing = error.code === 'ENOENT' ? `the program ${program} is not installed` : error.message
      reject(new Error(said ? `${program}: ${said}` : missing, { cause: error }))
    })
    // A program that does not start or that ends early reads no input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
