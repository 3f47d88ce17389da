import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { GatewayConnection, Io } from '../capability.ts'
import { defined, errorMessage, systemClock } from '../platform.ts'
import type { Configuration, GatewayTokens, HostedRuntime, OpenOptions, PeopleHomes } from '../runtime.ts'
import type { Server, ServerOptions } from '../server.ts'
import type { Claim, LifeSigns, Waiting } from '../session.ts'
import { hideSecrets } from './effective-values.ts'
import { withToken } from './answer.ts'
import { CommandFailure } from './failure.ts'
import { note, programCapabilities } from './io.ts'
import { loadWithWarnings } from './load-configuration.ts'
import { version } from './version.ts'
import { withClaim } from './open-store.ts'

export interface Gateway {
  readonly configuration: Configuration
  readonly claim: Claim
  readonly runtime: HostedRuntime
  readonly server: Server
  readonly people: PeopleHomes
  readonly token: string
  readonly started: string
  /** Stops the running calls, and releases the home. Their turns are kept for the next start, or cancelled with `endsWithCommand`. */
  readonly close: () => Promise<void>
}

interface GatewayUse
  extends Pick<ServerOptions, 'examine' | 'examineSecurity'>, Pick<OpenOptions, 'listens' | 'endsWithCommand'> {
  /** Where another gateway has the store, this one waits for it. Absent: it is refused. */
  readonly standby?: {
    readonly signal: AbortSignal
    readonly waits: (
      waiting: Waiting,
      beginning: Pick<Gateway, 'claim' | 'configuration' | 'started' | 'token'> & {
        /** Opens what lets people in while the home of the owner is elsewhere. */
        readonly open: () => Promise<StandbyHomes>
      },
    ) => void
  }
}

/** Who may come in, and the homes of the people within a home. */
export interface StandbyHomes {
  readonly tokens: GatewayTokens
  readonly people: PeopleHomes
  /** Gives up what looked at the store of another gateway, once this one has it or ends. The homes of people stay open. */
  readonly close: () => Promise<void>
}

/** Claims the home and opens everything on it. Throws, with nothing changed, where it cannot. With `listens` it opens its channels. */
export async function openGateway(
  home: string,
  io: Io,
  warn: (text: string) => void,
  { listens = false, endsWithCommand = false, examine, examineSecurity, standby }: GatewayUse = {},
): Promise<Gateway> {
  const {
    completeRestore,
    createHome,
    createWorkspace,
    ensureToken,
    homeAt,
    homeWarning,
    isRestorePending,
    openGatewayHomes,
    openRuntime,
    problemText,
    readToken,
    shareBeforeStart,
  } = await import('../runtime.ts')
  if (isRestorePending(home)) warn(await withClaim(home, io, () => completeRestore(home)))
  const read = await loadWithWarnings(home, io)
  const { environment } = io
  const at = { home, environment, capabilities: await programCapabilities(io), clock: systemClock, warn }
  const shared = await shareBeforeStart(at, read.configuration)
  // What other gateways have changed is in the file now.
  const { capabilities, configuration, warnings } = shared?.isChanged ? await loadWithWarnings(home, io) : read
  const { claimHome } = await import('../session.ts')
  await createHome(homeAt(home))
  const started = new Date().toISOString()
  const claim = await claimHome(home, { pid: process.pid, started }, io)
  let signs: LifeSigns | undefined
  try {
    const configured = configuration.gateway.token
    // Checked before anything is written, so that a refused token is not stored.
    await refuseGuessable(configuration.gateway.bind, configured ?? (await readToken(home)))
    const token = await ensureToken({ home, random: randomBytes, ...defined({ configured }) })
    const noWorkspace = await createWorkspace(configuration.agent.workspace)
    const known =
      noWorkspace === undefined
        ? warnings.map(problemText)
        : [...warnings.filter(({ key }) => key !== 'agent.workspace').map(problemText), noWorkspace]
    const exposed = listens ? await homeWarning(home) : undefined
    const { model, providers, models } = configuration
    const live = { model, providers, models, changed: new Set<() => void>() }
    if (standby && configuration.store !== undefined) {
      const { startHomeSigns } = await import('../runtime.ts')
      signs = await startHomeSigns(configuration.store, io.environment, systemClock)
    }
    const {
      people,
      within,
      live: sharing,
    } = await openGatewayHomes({
      home,
      configuration,
      settingsVersion: shared?.version,
      capabilities,
      environment: io.environment,
      version: version(),
      signs,
      clock: systemClock,
      warn,
    })
    const runtime = await openRuntime({
      home,
      capabilities,
      configuration,
      environment: io.environment,
      version: version(),
      live,
      handOver: people.handOver,
      sharing,
      listens,
      endsWithCommand,
      warnings: [...known, ...[exposed, claim.warning].filter((text) => text !== undefined)],
      warn,
      ...(standby && {
        standby: {
          gateway: { host: hostname(), version: version(), signs },
          waits: (waiting) =>
            standby.waits(waiting, {
              claim,
              configuration,
              started,
              token,
              async open() {
                const { store, policy } = await openBeside({ home, configuration, capabilities, io, warn })
                const tokens = await within({ store, shared: { live, policy } }, waiting)
                const close = async () => {
                  tokens.close()
                  await store.close()
                }
                return { tokens, people, close }
              },
            }),
          signal: standby.signal,
          warn,
        },
      }),
    })
    const tokens = await within(runtime)
    const { entranceOptions } = await import('../server.ts')
    const checks = { examine, examineSecurity }
    const server = await createHomeServer(
      runtime,
      configuration,
      { token, tokens, people, ...entranceOptions(configuration.gateway, io.environment), ...checks },
      io,
    )
    const opening = listens ? people.openAll() : undefined
    return {
      configuration,
      claim,
      runtime,
      server,
      people,
      token,
      started,
      async close() {
        await server.settle()
        await opening
        await people.close()
        tokens.close()
        await runtime.close()
        await signs?.close()
        claim.release()
      },
    }
  } catch (error) {
    await signs?.close()
    claim.release()
    throw error
  }
}

/** The store of the owner's home while another gateway has it, and the policy that it holds: to look at. */
async function openBeside({
  home,
  configuration,
  capabilities,
  io,
  warn,
}: Pick<OpenOptions, 'home' | 'configuration' | 'capabilities'> & {
  readonly io: Io
  readonly warn: (text: string) => void
}) {
  const { openHomeDatabase, pinnedPolicy, unconfinedPrograms } = await import('../runtime.ts')
  const { environment } = io
  const options = { clock: systemClock, readOnly: true }
  const store = await openHomeDatabase(home, configuration.store!, environment, options)
  const programs = unconfinedPrograms(configuration, capabilities)
  const policy = pinnedPolicy({ home, environment, store, clock: systemClock, writes: false, programs, warn })
  return { store, policy }
}

/** Throws for a token that can be guessed. Where there is none yet, a strong one is generated later. */
async function refuseGuessable(bind: string, token: string | undefined): Promise<void> {
  if (token === undefined) return
  const { assertBindIsSafe } = await import('../server.ts')
  try {
    assertBindIsSafe(bind, token)
  } catch (error) {
    throw new CommandFailure('token', errorMessage(error), { cause: error })
  }
}

/** The HTTP server of a runtime, before any port is open. */
async function createHomeServer(
  runtime: HostedRuntime,
  configuration: Configuration,
  {
    token,
    ...others
  }: Pick<
    ServerOptions,
    | 'token'
    | 'tokens'
    | 'people'
    | 'signIn'
    | 'trustedProxy'
    | 'publicUrl'
    | 'peerAddress'
    | 'examine'
    | 'examineSecurity'
  >,
  io: Io,
): Promise<Server> {
  const { createServer, hostedOptions } = await import('../server.ts')
  const redact = (text: string): string => runtime.secrets?.redact(text) ?? text
  const { bind, allowedHosts, maxBodyBytes, heldBodyMegabytes } = configuration.gateway
  return createServer(runtime, {
    ...(await hostedOptions(runtime)),
    token,
    bind: token === undefined ? '127.0.0.1' : bind,
    allowedHosts,
    maxBodyBytes,
    heldBodyMegabytes,
    version: version(),
    configuration: () => hideSecrets('', configuration),
    ...others,
    log: {
      error(facts, message) {
        const error = 'err' in facts ? facts.err : undefined
        const place = 'path' in facts ? ` at ${String(facts.path)}` : ''
        note(
          io,
          redact(
            `${message}${place}: ${error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(facts)}`,
          ),
        )
      },
    },
  })
}

/** Opens a gateway inside this process, without a port. `undefined`: another process has claimed the home. */
export async function openLocalGateway(
  home: string,
  io: Io,
  { endsWithCommand = true }: Pick<GatewayUse, 'endsWithCommand'> = {},
): Promise<GatewayConnection | undefined> {
  const { StoreError } = await import('../session.ts')
  try {
    const { server, token, close } = await openGateway(home, io, (text) => note(io, text), { endsWithCommand })
    return connectionTo(server, token, close)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'claimed') return undefined
    throw error
  }
}

/** Opens a gateway that only reads. It claims nothing, so it works beside any other process on the home. */
export async function openReadOnlyGateway(home: string, io: Io): Promise<GatewayConnection> {
  const { capabilities, configuration } = await loadWithWarnings(home, io)
  const { openGatewayHomes, openRuntime } = await import('../runtime.ts')
  const { environment } = io
  const runtime = await openRuntime({
    home,
    capabilities,
    configuration,
    environment,
    version: version(),
    recovers: false,
    onlyReads: true,
  })
  const { people, within } = await openGatewayHomes({
    home,
    configuration,
    capabilities,
    environment,
    version: version(),
    clock: systemClock,
    warn: () => {},
    onlyReads: true,
  })
  const tokens = await within(runtime)
  return connectionTo(await createHomeServer(runtime, configuration, { people }, io), undefined, async () => {
    tokens.close()
    await runtime.close()
  })
}

interface RequestHandler {
  fetch(request: Request): Promise<Response>
}

function connectionTo(
  server: RequestHandler,
  token: string | undefined,
  close: () => Promise<void>,
): GatewayConnection {
  return {
    fetch: (path, init = {}) => server.fetch(new Request(new URL(path, 'http://127.0.0.1'), withToken(init, token))),
    close,
    inProcess: true,
  }
}
