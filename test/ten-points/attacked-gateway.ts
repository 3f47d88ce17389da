import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { after, before, suite, type TestContext } from 'node:test'
import type { WaitingApproval } from '../../src/capability.ts'
import { findSandbox } from '../../src/tool.ts'
import { type Recorded, run as runCommand } from '../cli/recorded-io.ts'
import { foreword, memoryFlags, startEnvironment } from '../kit/started-program.ts'

/** One way to run an attack: programs in the sandbox or not, and the gateway as which user. */
export interface Variant {
  readonly name: string
  /** `off`: by the policy. `missing`: the machine has none, so a person is asked about each program, and approves it. */
  readonly sandbox: 'on' | 'off' | 'missing'
  /** The user of the gateway; absent: that of the tests. */
  readonly uid?: number
}

/** A user that owns nothing. */
const PLAIN_USER = 12_345
const isRoot = process.getuid?.() === 0
const found = await findSandbox()
const skips = {
  sandbox: found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false,
  root: isRoot ? false : 'only root can start a gateway as root',
}

const USERS = isRoot ? [{ as: 'root' }, { as: 'a plain user', uid: PLAIN_USER }] : [{ as: 'root' }, { as: 'this user' }]
const SANDBOXES = {
  on: 'in the sandbox',
  off: 'with the sandbox switched off',
  missing: 'where there is no sandbox',
} as const

type Attack = (here: AttackedGateway, variant: Variant) => Promise<void>

/**
 * Runs attacks, one after another on one gateway, in every way that this machine allows: with and without a sandbox, as root
 * and as a plain user.
 */
export function attacks(options: AttackedOptions, byName: Readonly<Record<string, Attack>>): void {
  for (const { as, ...user } of USERS) {
    for (const sandbox of ['on', 'off', 'missing'] as const) {
      const variant: Variant = { name: `${SANDBOXES[sandbox]}, as ${as}`, sandbox, ...user }
      const skip = (as === 'root' && skips.root) || (sandbox !== 'off' && skips.sandbox)
      suite(variant.name, { skip }, () => {
        let here: AttackedGateway | undefined
        before(async () => void (here = await startApart(variant, options)))
        after(() => here?.close())
        for (const [name, run] of Object.entries(byName)) test(`${name}: ${variant.name}`, () => run(here!, variant))
      })
    }
  }
}

/** Runs an attack in which no program runs, so that neither the sandbox nor the user counts: in the process of the test. */
export function attack(
  name: string,
  options: AttackedOptions,
  run: (here: AttackedGateway, t: TestContext) => Promise<void>,
): void {
  test(name, async (t) => {
    const here = await startHere(options)
    t.after(() => here.close())
    await run(here, t)
  })
}

export interface AttackedOptions {
  /** By path in the home. */
  readonly files?: Readonly<Record<string, string>>
  /** Paths in the home of files that may be run. */
  readonly programs?: readonly string[]
  /** `tools` of the policy, and whatever else it has. */
  readonly policy?: Readonly<Record<string, unknown>>
  readonly configuration?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  /** Makes the workspace a repository with one commit of these files. */
  readonly repository?: readonly string[]
  /** Comes before the `PATH`. */
  readonly path?: string
  /** Puts something more into the home, as the user of the tests. */
  readonly prepare?: (home: string) => void
}

/** `foreword start` with a scripted model that does what a text of an attacker says. */
export interface AttackedGateway {
  readonly home: string
  readonly workspace: string
  readonly url: string
  readonly token: string
  readonly pid: number
  /** A request as a person makes it, with the token of the owner. */
  ask(path: string, body?: unknown): Promise<Response>
  /** The status of the answer to a request with another token. */
  askWith(token: string, path: string, body?: unknown): Promise<number>
  /** Sends a script, approves whatever a person is asked about, and waits for the end of the turn. */
  say(text: string, session?: string): Promise<Said>
  /** The same, without an approval of this one. */
  sayWithout(text: string, approval: string): Promise<Said>
  /** Lays a file in the workspace that programs there may read and change. */
  write(path: string, text: string): Promise<void>
  /** Sends a script and waits until `count` calls of it wait for a person. */
  begin(text: string, count?: number): Promise<Begun>
  decide(approval: WaitingApproval, decision: 'approve' | 'deny'): Promise<Response>
  /** What the newest call of a session sent to the model. */
  lastRequest(
    session: string,
  ): Promise<{ readonly system: string; readonly tools: readonly { readonly name: string }[] }>
  audit(): Promise<readonly AuditRow[]>
  /** Everything that is on the disk of the home and outside the workspace, but for the store: path and content. */
  outside(): Readonly<Record<string, string>>
  /** A command of a person on the same home. */
  foreword(...words: readonly string[]): Promise<Recorded>
  /** The same at a terminal. */
  atTerminal(...words: readonly string[]): Promise<Recorded>
  stop(): Promise<void>
  /** Stops it and removes its home. */
  close(): Promise<void>
}

export interface AuditRow {
  readonly session?: string
  readonly kind: string
  readonly tool?: string
  readonly decision?: string
  readonly by?: string
  readonly rule?: string
}

export interface Said {
  readonly session: string
  /** The text of the turn with everything that tools answered, as JSON. */
  readonly log: string
  readonly results: readonly string[]
}

export interface Begun {
  readonly session: string
  readonly waiting: readonly WaitingApproval[]
  /** Denies whatever else is asked, and waits for the end of the turn. */
  end(): Promise<Said>
}

/** Everything as it is, with an empty file in the place of one. */
const HIDE = ['--dev-bind', '/', '/', '--die-with-parent', '--ro-bind', '/dev/null']

/** Where gateways of the plain user keep compiled code, as those of the user of the tests do: a start takes half as long. */
const PLAIN_CACHE = join(tmpdir(), 'node-compile-cache-plain-user')

/** Starts a gateway in a process of its own. */
async function startApart({ sandbox, uid }: Variant, options: AttackedOptions): Promise<AttackedGateway> {
  const { top, home } = makeHome(sandbox, options)
  if (uid !== undefined) {
    mkdirSync(PLAIN_CACHE, { recursive: true })
    execFileSync('chown', ['-R', `${uid}:${uid}`, top, PLAIN_CACHE])
  }
  // Bubblewrap hides itself: to the gateway it is not installed.
  const hidden = sandbox === 'missing' && found.type === 'bubblewrap' ? [found.path, ...HIDE, found.path, '--'] : []
  const [name, ...rest] = [...hidden, process.execPath, ...memoryFlags, foreword, 'start', '--json']
  const child = spawn(name, rest, {
    env: {
      ...environmentOf(home, options),
      ...(uid === undefined ? startEnvironment : { NODE_COMPILE_CACHE: PLAIN_CACHE }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const ended = once(child, 'close')
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  let pid = child.pid!
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGTERM')
    await ended
  }
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) throw new Error(`the gateway did not start: ${stderr}`)
  // Bubblewrap waits for the gateway, and passes no signal on.
  pid = (JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8')) as { readonly pid: number }).pid
  return attackedGateway({ home, options, first: first.value, pid, stop, ...(uid !== undefined && { uid }) })
}

/** Starts a gateway in this process. */
async function startHere(options: AttackedOptions): Promise<AttackedGateway> {
  const { home } = makeHome('off', options)
  const first = Promise.withResolvers<string>()
  let interrupt: (() => void) | undefined
  let output = ''
  const ended = runCommand(['start', '--json'], {
    environment: environmentOf(home, options),
    onInterrupt(listener) {
      interrupt = listener
      return () => (interrupt = undefined)
    },
    exit: () => {},
    onOutput(piece) {
      output += piece
      const line = /^\{"address".*(?=\n)/m.exec(output)
      if (line) first.resolve(line[0])
    },
  })
  const failed = ended.then(() => Promise.reject(new Error(`the gateway did not start: ${output}`)))
  const stop = async () => {
    interrupt?.()
    await ended
  }
  return attackedGateway({ home, options, first: await Promise.race([first.promise, failed]), pid: process.pid, stop })
}

function makeHome(
  sandbox: Variant['sandbox'],
  { files = {}, programs = [], policy, configuration, ...more }: AttackedOptions,
) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ten-points-')))
  const home = join(top, 'home')
  const workspace = join(home, 'workspace')
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  const laid = {
    'config.json': JSON.stringify({ model: 'rehearsal', agent: { workspace: './workspace' }, ...configuration }),
    'tool-access.json': JSON.stringify({ sandbox: { enabled: sandbox !== 'off' }, ...policy }),
    ...files,
  }
  for (const [path, text] of Object.entries(laid)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text.replaceAll('<home>', home))
  }
  for (const path of programs) chmodSync(join(home, path), 0o755)
  if (more.repository) makeRepository(workspace, more.repository)
  more.prepare?.(home)
  return { top, home }
}

function environmentOf(home: string, { path, environment }: AttackedOptions): Readonly<Record<string, string>> {
  const PATH = process.env['PATH']!
  return {
    PATH: path === undefined ? PATH : `${path.replaceAll('<home>', home)}:${PATH}`,
    HOME: dirname(home),
    FOREWORD_HOME: home,
    FOREWORD_GATEWAY_PORT: '0',
    NO_COLOR: '1',
    ...environment,
  }
}

interface Started {
  readonly home: string
  readonly options: AttackedOptions
  /** The line of JSON that it printed at its start. */
  readonly first: string
  readonly pid: number
  readonly uid?: number
  readonly stop: () => Promise<void>
}

function attackedGateway({ home, options, first, pid, uid, stop }: Started): AttackedGateway {
  const workspace = join(home, 'workspace')
  const { address: url } = JSON.parse(first) as { readonly address: string }
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()

  const ask = (path: string, body?: unknown, bearer = token) =>
    fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const read = async <Answer>(path: string, body?: unknown) => {
    const response = await ask(path, body)
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Answer
  }

  /** As a person who says the same of whatever there is. Returns whether there was something. */
  async function decideAll(session: string, decision: 'approve' | 'deny', but?: string): Promise<boolean> {
    const { approvals } = await read<{ approvals: readonly WaitingApproval[] }>('/api/approvals')
    const own = approvals.filter((one) => one.session === session && one.approval !== but)
    for (const { approval, digest } of own) {
      // oxlint-disable-next-line no-await-in-loop -- one after another, as a person does
      await ask(`/api/approvals/${approval}`, { decision, digest })
    }
    return own.length > 0
  }

  async function submit(text: string, session?: string) {
    const sent = await read<{ session: string; turn: string }>('/api/messages', { text, ...(session && { session }) })
    const end = async (decision: 'approve' | 'deny' = 'approve', but?: string): Promise<Said> => {
      const path = `/api/sessions/${sent.session}/turns/${sent.turn}`
      // A person who is asked answers soon, and one who is not looks less and less often.
      for (let wait = 50; ; wait = Math.min(2 * wait, 1_000)) {
        const { outcome } = await read<{ outcome?: unknown }>(`${path}?wait=${wait}`)
        if (outcome !== undefined) break
        if (await decideAll(sent.session, decision, but)) wait = 50
      }
      const { entries } = await read<{ entries: readonly Record<string, unknown>[] }>(
        `/api/sessions/${sent.session}/entries?limit=1000`,
      )
      const own = entries.filter(({ turn }) => turn === sent.turn)
      const results = own.flatMap(({ type, output }) => (type === 'tool-end' ? [String(output)] : []))
      return { session: sent.session, log: JSON.stringify(own), results }
    }
    return { session: sent.session, end }
  }

  const commandEnvironment = { FOREWORD_HOME: home, NO_COLOR: '1', ...options.environment }
  return {
    home,
    workspace,
    url,
    token,
    pid,
    ask,
    askWith: async (bearer, path, body) => (await ask(path, body, bearer)).status,
    say: async (text, session) => (await submit(text, session)).end(),
    sayWithout: async (text, approval) => (await submit(text)).end('approve', approval),
    async write(path, text) {
      writeFileSync(join(workspace, path), text)
      if (uid !== undefined) chownSync(join(workspace, path), uid, uid)
    },
    async begin(text, count = 1) {
      const { session, end } = await submit(text)
      for (;;) {
        const { approvals } = await read<{ approvals: WaitingApproval[] }>('/api/approvals')
        const waiting = approvals.filter((one) => one.session === session)
        if (waiting.length >= count) return { session, waiting, end: () => end('deny') }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    decide: ({ approval, digest }, decision) => ask(`/api/approvals/${approval}`, { decision, digest }),
    async lastRequest(session) {
      const { calls } = await read<{ calls: readonly { readonly id: string }[] }>(`/api/sessions/${session}/calls`)
      return (
        await read<{ request: Awaited<ReturnType<AttackedGateway['lastRequest']>> }>(
          `/api/calls/${calls.at(-1)!.id}/request`,
        )
      ).request
    },
    audit: async () => (await read<{ records: AuditRow[] }>('/api/audit?limit=1000')).records,
    outside() {
      const names = execFileSync('find', [home, '-type', 'f', '-not', '-path', `${workspace}/*`], { encoding: 'utf8' })
      const kept = names
        .split('\n')
        .filter((path) => path && !/\/data\/(?!token)|\/gateway\.(?:json|lock.*)$|\.log$/.test(path))
      return Object.fromEntries(kept.toSorted().map((path) => [path, readFileSync(path, 'latin1')]))
    },
    foreword: (...words) => runCommand(words, { environment: commandEnvironment }),
    atTerminal: (...words) => runCommand(words, { environment: commandEnvironment, terminal: true }),
    stop,
    async close() {
      await stop()
      rmSync(dirname(home), { recursive: true, force: true })
    },
  }
}

function makeRepository(workspace: string, files: readonly string[]): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: workspace })
  git('init', '-q', '-b', 'main')
  git('add', ...files)
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
}

/** Lines of a script that call `shell`, each as a step of its own. */
export function commands(...lines: readonly string[]): string {
  return lines.map((cmd) => `/call shell ${JSON.stringify({ cmd })}\n/say Then.`).join('\n')
}

/** Lines of a script that call `shell` side by side. */
export function commandsAtOnce(...lines: readonly string[]): string {
  return `${lines.map((cmd) => `/call shell ${JSON.stringify({ cmd })}`).join('\n')}\n/say Done.`
}

/** A policy that allows these prefixes without asking. */
export function allowing(...allowedPrefixes: readonly string[]) {
  return {
    global: { allowedTools: ['shell', 'list_files', 'read_file', 'write_file', 'edit_file'] },
    tools: { shell: { enabled: true, allowedPrefixes } },
  }
}
