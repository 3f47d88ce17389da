import type { AnyCapability, CheckContext, Connection, Finding, Io } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { Configuration } from '../../runtime.ts'
import { ask } from '../answer.ts'
import { connect } from '../connection.ts'
import { homeStore } from '../open-store.ts'
import { checkAudit } from './check-audit.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkContents } from './check-contents.ts'
import { checkHome, checkPrivacy } from './check-home.ts'
import { checkClock, checkDisk, checkNode } from './check-machine.ts'
import { checkModel } from './check-model.ts'
import { checkPlugins } from './check-plugins.ts'
import { checkPolicy } from './check-policy.ts'
import { checkGateway } from './check-port.ts'
import { checkStore } from './check-store.ts'
import { checkToken } from './check-token.ts'
import { checkTools } from './check-tools.ts'
import { problem } from './finding.ts'

/** No clock that is right says less. */
const RELEASED = '2026-01-01T00:00:00.000Z'

/** Looks at everything that a gateway on this home needs. Changes nothing. */
export async function examine(home: string, io: Io): Promise<readonly Finding[]> {
  const { homeAt, loadConfiguration } = await import('../../runtime.ts')
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { environment } = io
  const files = homeAt(home)
  const loaded = await loadConfiguration({ home, environment, capabilities: io.capabilities ?? [] })
  const {
    capabilities,
    configuration: { gateway, model, models, providers },
  } = loaded
  const known = loaded.knownProviders
  const kept = await homeStore(home, io)
  const store = await checkStore(kept)
  const privateFiles = [
    files.configurationFile,
    files.toolAccessFile,
    files.contextToolAccessFile,
    files.data,
    files.tokenFile,
    kept.driver.location(kept.folder),
  ]
  const configuration = await checkConfiguration(loaded, files.configurationFile, io)
  const plugins = await checkPlugins(home, loaded.configuration)
  // What keeps a gateway from starting is told; there is none then that could be asked.
  const opens = [...loaded.problems, ...plugins.filter(({ level }) => level === 'problem')].length === 0
  const opened = opens ? await openedFor(home, io) : undefined
  const connection = opened instanceof Error ? undefined : opened
  try {
    const contributed = await checkCapabilities(capabilities, loaded.configuration, { home, environment }, connection)
    const told = [...configuration, ...contributed]
    return [
      checkNode(process.versions.node),
      await checkHome(home),
      await checkPrivacy(privateFiles),
      ...configuration,
      store.finding,
      ...(store.finding.level === 'ok' ? await checkContents(kept) : []),
      await checkDisk(home),
      checkClock(new Date(), store.newest, RELEASED),
      await checkGateway(home, gateway),
      ...(await checkToken(home, gateway)),
      await checkModel(createModels({ known, providers, models, environment }), model, waysToAttach(known)),
      ...(await checkPolicy(home, io)),
      ...contributed,
      ...plugins,
      ...(opened === undefined ? [] : await checkTools(opened, told)),
      await checkAudit(kept),
    ]
  } finally {
    await connection?.close()
  }
}

async function openedFor(home: string, io: Io): Promise<Connection | Error> {
  try {
    return await connect(home, io, 'read')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** What capabilities look at, in their order. A check that fails is a finding too. */
async function checkCapabilities(
  capabilities: readonly AnyCapability[],
  configuration: Configuration,
  { home, environment }: Pick<CheckContext, 'home' | 'environment'>,
  connection: Connection | undefined,
): Promise<readonly Finding[]> {
  const { settingsOf } = await import('../../runtime.ts')
  const findings: Finding[] = []
  for (const capability of capabilities) {
    const context: CheckContext<unknown> = {
      settings: settingsOf(configuration, capability),
      home,
      workspace: configuration.agent.workspace,
      environment,
      settingsOf(name) {
        const other = capabilities.find((each) => each.name === name)
        return other && settingsOf(configuration, other)
      },
      embedders: capabilities.flatMap((each) => each.embedders ?? []),
      get: async (path) => connection && (await ask(connection, path)),
    }
    try {
      findings.push(...((await capability.checks?.(context)) ?? []))
    } catch (error) {
      const { name } = capability
      findings.push(problem(name, `it cannot be looked at: ${errorMessage(error)}`, 'Correct what is named there.'))
    }
  }
  return findings
}
