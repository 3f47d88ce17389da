import { defined } from '../platform.ts'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { AnyCapability } from '../capability.ts'
import type { Runtime } from '../runtime.ts'
import type { Listening, Server } from '../server.ts'
import { builtIn } from './built-in.ts'

export interface ForewordOptions {
  /** Path of the home. It is made where it is missing. */
  readonly home: string
  /** What it can do. Everything that comes with Foreword unless given. */
  readonly capabilities?: readonly AnyCapability[]
  /** What would stand in `config.json`; that of the home unless given. */
  readonly configuration?: object
  /** Keys of providers are looked up here, and variables that set keys. Empty unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
}

/** A gateway inside another program. */
export interface Foreword {
  readonly runtime: Runtime
  /** Its HTTP API, before any port is open: `server.fetch(request)`. */
  readonly server: Server
  /** What callers of the HTTP API bring. */
  readonly token: string
  /** Opens a port. What is not given is as configured; 0 takes a free one. */
  listen(address?: { readonly port?: number; readonly bind?: string }): Promise<Listening>
  /** Ends what is running, keeps unfinished turns for the next start, and gives the home free. */
  close(): Promise<void>
}

/** Takes the home for this process and opens everything on it. Rejects with a `ConfigurationError` that names every mistake. */
export async function createForeword(options: ForewordOptions): Promise<Foreword> {
  const { capabilities = builtIn, environment = {}, configuration: written, warn } = options
  const home = resolve(options.home)
  const open = await import('../runtime.ts')
  const { claimHome } = await import('../session.ts')
  const { createServer, hostedOptions, listen } = await import('../server.ts')
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
  const read = async () => ({ type: 'text' as const, text: JSON.stringify(written) })
  const loaded = await open.loadConfiguration({ home, environment, capabilities, ...(written && { read }) })
  const { configuration, problems } = loaded
  if (problems.length > 0) throw new open.ConfigurationError(problems)
  const { bind, port, token: configured, allowedHosts, maxBodyBytes } = configuration.gateway
  await open.createHome(open.homeAt(home))
  const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() })
  try {
    const random = randomBytes
    const token = await open.ensureToken({ home, random, ...defined({ configured }) })
    const noWorkspace = await open.createWorkspace(configuration.agent.workspace)
    const odd = (await open.configurationWarnings(loaded, environment)).map(open.problemText)
    const runtime = await open.openRuntime({
      home,
      capabilities: loaded.capabilities,
      configuration,
      environment,
      version,
      listens: true,
      warnings: noWorkspace === undefined ? odd : [...odd, noWorkspace],
      ...(warn ? { warn } : {}),
    })
    const server = createServer(runtime, {
      ...(await hostedOptions(runtime)),
      token,
      bind,
      allowedHosts,
      maxBodyBytes,
      version,
    })
    const listening: Listening[] = []
    return {
      runtime,
      server,
      token,
      async listen(address = {}) {
        const opened = await listen(server, { port, bind, ...address })
        listening.push(opened)
        claim.update({ pid: process.pid, address: opened.url, started: new Date().toISOString() })
        return opened
      },
      async close() {
        for (const each of listening) await each.close({ graceMs: 5_000 })
        await runtime.close()
        claim.release()
      },
    }
  } catch (error) {
    claim.release()
    throw error
  }
}
