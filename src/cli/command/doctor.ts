import type {
  AnyCapability,
  CheckContext,
  Command,
  CommandCall,
  GatewayConnection,
  Finding,
  Io,
} from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { Configuration } from '../../runtime.ts'
import { requestJson } from '../answer.ts'
import { connectToHome } from '../connection.ts'
import { checkConfiguration, checkModel, checkPlugins } from '../doctor/check-configuration.ts'
import { checkGateway, checkToken } from '../doctor/check-gateway.ts'
import { checkClock, checkDisk, checkHome, checkNode, checkPrivacy } from '../doctor/check-machine.ts'
import { checkAudit, checkContents, checkStore } from '../doctor/check-store.ts'
import { checkPolicy, checkTools } from '../doctor/check-tools.ts'
import { problem } from '../doctor/finding.ts'
import { safeForTerminal, type Look, print, printJson, applyStyle, programCapabilities } from '../io.ts'
import { findHomeStore } from '../open-store.ts'
import { withLocalTimes } from '../time-text.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the home, the configuration, the store, the model, the tools and every capability',
  usage: ['doctor [--json]'],
  details:
    'Prints one finding per line, with a hint where there is something to do. The exit code is 1 if there is a problem; warnings do not count.',
  words: { least: 0, most: 0 },
  options: { json: { summary: 'print {findings: [{check, level, message, hint}]}' } },
  run: checkUp,
}

async function checkUp(call: CommandCall, io: Io): Promise<number> {
  const findings = await examine(call.home, io)
  if (call.json) printJson(io, { findings })
  else for (const finding of findings) print(io, findingText(finding, io))
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

const looks: Readonly<Record<Finding['level'], Look>> = { ok: 'green', warning: 'yellow', problem: 'red' }

function findingText({ check, level, message, hint }: Finding, io: Io): string {
  const line = `${applyStyle(io, looks[level], level.padEnd(7))}  ${check.padEnd(13)}  ${safeForTerminal(withLocalTimes(message), io.stdout)}`
  return hint === undefined ? line : `${line}\n${' '.repeat(24)} ${hint}`
}

/** A correct clock shows no earlier time. ISO 8601. */
const RELEASED = '2026-01-01T00:00:00.000Z'

/** Checks everything that a gateway on this home needs. Changes nothing. */
async function examine(home: string, io: Io): Promise<readonly Finding[]> {
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
  const kept = await findHomeStore(home, io)
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
  // A problem that keeps a gateway from starting leaves none to ask.
  const opens = [...loaded.problems, ...plugins.filter(({ level }) => level === 'problem')].length === 0
  const opened = opens ? await tryConnect(home, io) : undefined
  const connection = opened instanceof Error ? undefined : opened
  try {
    const contributed = await checkCapabilities(capabilities, loaded.configuration, { home, environment }, connection)
    const reported = [...configuration, ...contributed]
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
      ...(opened === undefined ? [] : await checkTools(opened, reported)),
      await checkAudit(kept),
    ]
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
async function checkCapabilities(
  capabilities: readonly AnyCapability[],
  configuration: Configuration,
  { home, environment }: Pick<CheckContext, 'home' | 'environment'>,
  connection: GatewayConnection | undefined,
): Promise<readonly Finding[]> {
  const { capabilitySettings } = await import('../../runtime.ts')
  const findings: Finding[] = []
  for (const capability of capabilities) {
    const context: CheckContext<unknown> = {
      settings: capabilitySettings(configuration, capability),
      home,
      workspace: configuration.agent.workspace,
      environment,
      settingsOf(name) {
        const other = capabilities.find((each) => each.name === name)
        return other && capabilitySettings(configuration, other)
      },
      embedders: capabilities.flatMap((each) => each.embedders ?? []),
      get: async (path) => connection && (await requestJson(connection, path)),
    }
    try {
      findings.push(...((await capability.checks?.(context)) ?? []))
    } catch (error) {
      const { name } = capability
      findings.push(problem(name, `the check failed: ${errorMessage(error)}`, 'Fix what the message names.'))
    }
  }
  return findings
}
