import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { AnyCapability } from '../capability.ts'
import { systemClock, type Clock, defined, errorMessage, ForewordError } from '../platform.ts'
import type { HostedRuntime, Runtime } from '../runtime.ts'
import type { ListeningServer, Server } from '../server.ts'
import { builtIn } from './built-in.ts'

export interface ForewordOptions {
  /** Path of the home. It is created where it is missing. */
  readonly home: string
  /** Its capabilities. Everything that comes with Foreword unless given. */
  readonly capabilities?: readonly AnyCapability[]
  /** The content of `config.json`; the file of the home unless given. */
  readonly configuration?: object
  /** Keys of providers are looked up here, and variables that set keys. Empty unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** That of this machine unless given. */
  readonly clock?: Clock
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
}

/** A gateway inside another program. */
export interface Foreword {
  readonly runtime: Runtime
  /** Its HTTP API, before any port is open: `server.fetch(request)`. */
  readonly server: Server
  /** The token for callers of the HTTP API. */
  readonly token: string
  /** Opens a port. What is not given is as configured; port 0 chooses a free one. */
  listen(address?: { readonly port?: number; readonly bind?: string }): Promise<ListeningServer>
  /** Ends what is running, keeps unfinished turns for the next start, and releases the home. */
  close(): Promise<void>
}

/**
 * Claims the home for this process and opens everything on it. An interrupted restore is completed first; nothing else is
 * written before the configuration is known to be right.
 *
 * @throws ConfigurationError that names every mistake; ForewordError `token` where others can reach the bind address and
 * the token can be guessed; StoreError `claimed` where another process holds the home
 */
export async function createForeword(options: ForewordOptions): Promise<Foreword> {
  const { capabilities = builtIn, environment = {}, configuration: written, clock = systemClock, warn } = options
  const home = resolve(options.home)
  const open = await import('../runtime.ts')
  const { claimHome } = await import('../session.ts')
  const { createServer, entranceOptions, hostedOptions, listen } = await import('../server.ts')
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
  const read = async () => ({ type: 'text' as const, text: JSON.stringify(written) })
  if (open.isRestorePending(home)) {
    const claim = await claimHome(home, { pid: process.pid, started: clock.time() }, { environment })
    const completed = await open.completeRestore(home).finally(() => claim.release())
    warn?.(completed)
  }
  const load = async () => {
    const found = await open.loadConfiguration({ home, environment, capabilities, ...(written && { read }) })
    if (found.problems.length > 0) throw new open.ConfigurationError(found.problems)
    return found
  }
  const first = await load()
  const at = { home, environment, capabilities, clock, warn: (text: string) => warn?.(text) }
  // A configuration that is given belongs to its program.
  const shared = written ? undefined : await open.shareBeforeStart(at, first.configuration)
  const loaded = shared?.isChanged ? await load() : first
  const { configuration } = loaded
  const { bind, token: configured, allowedHosts, maxBodyBytes, heldBodyMegabytes } = configuration.gateway
  await open.createHome(open.homeAt(home))
  const claim = await claimHome(home, { pid: process.pid, started: clock.time() }, { environment })
  if (claim.warning !== undefined) warn?.(claim.warning)
  let runtime: HostedRuntime | undefined
  try {
    await refuseUnsafeBind(bind, configured ?? (await open.readToken(home)))
    const token = await open.ensureToken({ home, random: randomBytes, ...defined({ configured }) })
    const noWorkspace = await open.createWorkspace(configuration.agent.workspace)
    const odd = (await open.configurationWarnings(loaded, environment)).map(open.problemText)
    const {
      people,
      within,
      live: sharing,
    } = await open.openGatewayHomes({
      home,
      clock,
      configuration,
      settingsVersion: shared?.version,
      shares: written === undefined,
      capabilities: loaded.capabilities,
      environment,
      version,
      warn: (text) => warn?.(text),
    })
    runtime = await open.openRuntime({
      clock,
      handOver: people.handOver,
      sharing,
      home,
      capabilities: loaded.capabilities,
      configuration,
      environment,
      version,
      listens: true,
      warnings: noWorkspace === undefined ? odd : [...odd, noWorkspace],
      ...defined({ warn }),
    })
    const opened = runtime
    const tokens = await within(opened)
    const opening = people.openAll()
    const server = createServer(opened, {
      ...(await hostedOptions(opened)),
      ...entranceOptions(configuration.gateway, environment),
      token,
      people,
      tokens,
      bind,
      allowedHosts,
      maxBodyBytes,
      heldBodyMegabytes,
      version,
    })
    const listening: ListeningServer[] = []
    return {
      runtime: opened,
      server,
      token,
      async listen(address = {}) {
        const port = await listen(server, { ...configuration.gateway, ...address })
        listening.push(port)
        claim.update({ pid: process.pid, address: port.url, started: clock.time() })
        return port
      },
      async close() {
        for (const each of listening) await each.close({ graceMs: 5_000 })
        await server.settle()
        await opening
        await people.close()
        tokens.close()
        await opened.close()
        claim.release()
      },
    }
  } catch (error) {
    await runtime?.close()
    claim.release()
    throw error
  }
}

/**
 * Refuses an address that others can reach with a token that can be guessed, before the token is kept. A home without a
 * token is about to get a strong one.
 */
async function refuseUnsafeBind(bind: string, token: string | undefined): Promise<void> {
  if (token === undefined) return
  const { assertBindIsSafe } = await import('../server.ts')
  try {
    assertBindIsSafe(bind, token)
  } catch (error) {
    if (error instanceof ForewordError) throw error
    const hint = 'Leave gateway.token out, and the gateway makes a strong token; or bind to 127.0.0.1.'
    throw new ForewordError('token', errorMessage(error), { bind }, { hint, cause: error })
  }
}
