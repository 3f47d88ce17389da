import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext } from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { outputText, toolResults } from '../../src/context.ts'
import { loadConfiguration, readTurnView } from '../../src/runtime.ts'
import { openRuntime, type Runtime } from './features.ts'
import type { Entry } from '../../src/session.ts'

/** A whole home on the disk, opened as the gateway opens it, with `rehearsal` and a small window as its model. */
export interface OpenedHome {
  readonly home: string
  readonly runtime: Runtime
  /** Writes a file of the home. */
  write(path: string, text: string): void
  /** Accepts everything that waits, as its owner does. */
  accept(): Promise<void>
  /** Says something and waits for the end of the turn. */
  say(text: string, session?: string): Promise<Said>
  /** Closes and opens again, with another configuration if one is given. */
  reopened(configuration?: object): Promise<OpenedHome>
}

export interface Said {
  readonly session: string
  readonly text: string
  readonly entries: readonly Entry[]
  /** What the tools answered, in the order of their calls. */
  readonly results: readonly string[]
  /** Names of the tools that the first call of the turn offered, with what it announced of them, and its system text. */
  readonly offered: readonly string[]
  readonly system: string
}

export async function openedHome(
  t: TestContext,
  files: Readonly<Record<string, string>> = {},
  configuration: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<OpenedHome> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'foreword-whole-')))
  const runtimes: Runtime[] = []
  t.after(async () => {
    // What is still open writes when it is closed.
    for (const runtime of runtimes) await runtime.close()
    rmSync(home, { recursive: true, force: true })
  })
  for (const [path, text] of Object.entries(files)) writeIn(home, path, text)
  return open(runtimes, home, configuration, environment)
}

/** Small enough that what does not fit can be written down. */
const SMALL = { models: { rehearsal: { window: 8192 } } }

async function open(
  runtimes: Runtime[],
  home: string,
  given: object,
  more: Readonly<Record<string, string>> = {},
): Promise<OpenedHome> {
  writeIn(home, 'config.json', JSON.stringify({ model: 'rehearsal', ...SMALL, ...given }))
  const environment = { PATH: process.env['PATH'], HOME: home, OPENAI_API_KEY: 'sk-never-shown', ...more }
  const { configuration, problems } = await loadConfiguration({ home, capabilities: builtIn, environment })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const runtime = await openRuntime({ capabilities: builtIn, home, configuration, environment, version: '0' })
  runtimes.push(runtime)

  return {
    home,
    runtime,
    write: (path, text) => writeIn(home, path, text),
    async accept() {
      for (const { name, digest } of await runtime.acceptance.waiting()) await runtime.acceptance.accept(name, digest)
    },
    async say(text, known) {
      const { session, turn } = await runtime.submit({ text, ...(known === undefined ? {} : { session: known }) })
      const events = runtime.events(session, { turn })
      while (!(await events.next()).done);
      const view = await readTurnView(runtime.store, session, turn)
      const entries = await runtime.store.entries(session, { turn })
      const { request } = await runtime.request(view.calls[0]!)
      const announced = await announcedTools(runtime, view.calls[0]!)
      return {
        session,
        text: view.text,
        entries,
        results: entries.flatMap((entry) =>
          entry.type === 'message' ? toolResults(entry.message).map(({ output }) => outputText(output)) : [],
        ),
        offered: announced ?? request.tools.map(({ name }) => name),
        system: request.system ?? '',
      }
    },
    async reopened(configured = given) {
      await runtime.close()
      return open(runtimes, home, configured, more)
    },
  }
}

/** The tools that can be called where a call announced others than those that it began with. */
async function announcedTools({ store }: Runtime, call: string): Promise<readonly string[] | undefined> {
  const record = await store.call(call)
  const { head } = record!.input as { readonly head?: { readonly announced?: readonly { readonly tools: string }[] } }
  const tools = head?.announced?.at(-1)?.tools
  if (tools === undefined) return undefined
  const text = await store.content(tools.replace('sha256:', ''))
  return (JSON.parse(text!) as readonly { readonly name: string }[]).map(({ name }) => name)
}

function writeIn(home: string, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

/** What `look` finds, as soon as it finds something. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
