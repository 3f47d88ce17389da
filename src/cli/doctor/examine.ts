import type { Finding, GatewayConnection, Io } from '../../capability.ts'
import { systemClock, errorMessage } from '../../platform.ts'
import { connectToHome } from '../connection.ts'
import { programCapabilities } from '../io.ts'
import { findHomeStore } from '../open-store.ts'
import { checkConfiguration, checkModel, checkNotes, checkPlugins } from './check-configuration.ts'
import { checkContext, type CheckedHome } from './check-context.ts'
import { checkGateway, checkToken } from './check-gateway.ts'
import { checkLint } from './check-lint.ts'
import { checkPrices } from './check-prices.ts'
import { checkClock, checkDisk, checkHome, checkNode, checkPrivacy } from './check-machine.ts'
import { checkAudit, checkContents, checkStore } from './check-store.ts'
import { checkPolicy, checkTools } from './check-tools.ts'
import { problem } from './finding.ts'

/** A correct clock shows no earlier time. ISO 8601. */
const RELEASED = '2026-01-01T00:00:00.000Z'

/** Checks everything that a gateway on this home needs, and gives each finding when it is known. Changes nothing. */
export async function* examine(home: string, io: Io): AsyncGenerator<Finding> {
  const { homeAt, loadConfiguration } = await import('../../runtime.ts')
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { environment } = io
  const files = homeAt(home)
  const loaded = await loadConfiguration({ home, environment, capabilities: programCapabilities(io) })
  const {
    capabilities,
    configuration: { gateway, model, models, providers },
  } = loaded
  const known = loaded.knownProviders
  const kept = await findHomeStore(home)
  const privateFiles = [
    files.configurationFile,
    files.toolAccessFile,
    files.contextToolAccessFile,
    files.data,
    files.tokenFile,
    kept.path,
  ]
  yield checkNode(process.versions.node)
  yield await checkHome(home)
  yield await checkPrivacy(privateFiles)
  const configuration = await checkConfiguration(loaded, files.configurationFile, io)
  yield* configuration
  const store = await checkStore(kept)
  yield store.finding
  if (store.finding.level === 'ok') yield* await checkContents(kept)
  yield await checkDisk(home)
  yield checkClock(new Date(), store.newest, RELEASED)
  yield await checkGateway(home, gateway)
  yield* await checkToken(home, gateway)
  const attached = createModels({ clock: systemClock, known, providers, models, environment })
  yield await checkModel(attached, model, waysToAttach(known))
  yield* await checkNotes(attached, loaded)
  yield* checkPrices(models)
  yield* await checkPolicy(home, io)
  const plugins = await checkPlugins(home, loaded.configuration)
  // A problem that keeps a gateway from starting leaves none to ask.
  const opens = [...loaded.problems, ...plugins.filter(({ level }) => level === 'problem')].length === 0
  const opened = opens ? await tryConnect(home, io) : undefined
  const connection = opened instanceof Error ? undefined : opened
  try {
    const checked = { home, environment, capabilities, configuration: loaded.configuration, connection }
    const contributed = await checkCapabilities(checked)
    yield* contributed
    yield* plugins
    if (opened !== undefined) yield* await checkTools(opened, [...configuration, ...contributed])
    yield* await checkLint(checked)
    yield* await checkAudit(kept, home, io)
  } finally {
    await connection?.close()
  }
}

async function tryConnect(home: string, io: Io): Promise<GatewayConnection | Error> {
  try {
    return await connectToHome(home, io, 'read')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The findings of capabilities, in their order. A check that throws is a finding too. */
async function checkCapabilities(checked: CheckedHome): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const capability of checked.capabilities) {
    try {
      findings.push(...((await capability.checks?.(await checkContext(capability, checked))) ?? []))
    } catch (error) {
      const { name } = capability
      findings.push(problem(name, `the check failed: ${errorMessage(error)}`, 'Fix what the message names.'))
    }
  }
  return findings
}
