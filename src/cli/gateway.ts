import { randomBytes } from 'node:crypto'
import type { Configuration, HostedRuntime, Runtime } from '../runtime.ts'
import type { Server } from '../server.ts'
import type { Claim } from '../session.ts'
import { defined, errorMessage } from '../platform.ts'
import { CommandFailure } from './failure.ts'
import { note } from './io.ts'
import type { Io } from '../capability.ts'
import { withoutSecrets } from './config/effective-values.ts'
import { completeRestore } from './backup/complete-restore.ts'
import { configurationWithWarnings } from './load-configuration.ts'
import { version } from './version.ts'

/** Everything of a gateway but its port. */
export interface Gateway {
  readonly configuration: Configuration
  readonly claim: Claim
  readonly runtime: Runtime
  readonly server: Server
  readonly token: string
  /** ISO 8601. */
  readonly started: string
  /** Lets the running calls go, keeps their turns for the next start, and gives the home free. */
  readonly close: () => Promise<void>
}

/**
 * Takes the home for this process and opens everything on it. Throws where the configuration has mistakes or where
 * another gateway holds the home; then nothing was changed. Channels are for one that `listens`.
 */
export async function openGateway(
  home: string,
  io: Io,
  warn: (text: string) => void,
  { listens = false }: { readonly listens?: boolean } = {},
): Promise<Gateway> {
  await completeRestore(home, warn)
  const { capabilities, configuration, warnings } = await configurationWithWarnings(home, io)
  const { createHome, createWorkspace, ensureToken, homeAt, openRuntime, problemText, readToken } =
    await import('../runtime.ts')
  const { claimHome } = await import('../session.ts')
  await createHome(homeAt(home))
  const started = new Date().toISOString()
  const claim = await claimHome(home, { pid: process.pid, started })
  try {
    const configured = configuration.gateway.token
    // Before anything is written: a token that is refused is not kept either.
    await refuseGuessable(configuration.gateway.bind, configured ?? (await readToken(home)))
    const token = await ensureToken({ home, random: randomBytes, ...defined({ configured }) })
    const noWorkspace = await createWorkspace(configuration.agent.workspace)
    const known =
      noWorkspace === undefined
        ? warnings.map(problemText)
        : [...warnings.filter(({ key }) => key !== 'agent.workspace').map(problemText), noWorkspace]
    const runtime = await openRuntime({
      home,
      capabilities,
      configuration,
      environment: io.environment,
      version: version(),
      listens,
      warnings: known,
      warn,
    })
    return {
      configuration,
      claim,
      runtime,
      server: await serverOf(runtime, configuration, token, io),
      token,
      started,
      async close() {
        await runtime.close()
        claim.release()
      },
    }
  } catch (error) {
    claim.release()
    throw error
  }
}

/** Where there is no token yet, a good one is about to be made. */
async function refuseGuessable(bind: string, token: string | undefined): Promise<void> {
  if (token === undefined) return
  const { assertBindIsSafe } = await import('../server.ts')
  try {
    assertBindIsSafe(bind, token)
  } catch (error) {
    throw new CommandFailure('token', errorMessage(error), { cause: error })
  }
}

/** The HTTP doors of a runtime, before any port is open. */
export async function serverOf(
  runtime: HostedRuntime,
  configuration: Configuration,
  token: string | undefined,
  io: Io,
): Promise<Server> {
  const { createServer, hostedOptions } = await import('../server.ts')
  const { bind, allowedHosts, maxBodyBytes } = configuration.gateway
  return createServer(runtime, {
    ...(await hostedOptions(runtime)),
    token,
    bind: token === undefined ? '127.0.0.1' : bind,
    allowedHosts,
    maxBodyBytes,
    version: version(),
    configuration: () => withoutSecrets('', configuration),
    log: {
      error(facts, message) {
        const error = 'err' in facts ? facts.err : undefined
        note(io, `${message}: ${error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(facts)}`)
      },
    },
  })
}
