import type { Finding, GatewayConnection, Io, LintReport } from '../../capability.ts'
import { systemClock, errorMessage } from '../../platform.ts'
import { connectToHome } from '../connection.ts'
import { programCapabilities } from '../io.ts'
import { findHomeStore } from '../open-store.ts'
import {
  checkConfiguration,
  checkFallbacks,
  checkModel,
  checkNotes,
  checkPlugins,
  checkShared,
} from './check-configuration.ts'
import { checkContext, type CheckedHome } from '../check-context.ts'
import { checkGateway, checkToken } from './check-gateway.ts'
import { checkClock, checkDisk, checkHome, checkNode, checkPrivacy, checkDatabase } from './check-machine.ts'
import { checkSizes } from './check-left.ts'
import { checkAudit, checkContents, checkStore } from './check-store.ts'
import { checkPolicy, checkTools } from './check-tools.ts'
import { firstNames, problem, warning, ok } from './finding.ts'
import { endedPromises, priceProblems } from '../../model.ts'
import type { LoadedConfiguration } from '../../runtime.ts'
import { countedText, type LintFinding, phrase } from '../../context.ts'
import { lintCostText, lintPlaceText } from '../lint/lint-text.ts'
import { readLintReport } from '../lint/lint-report.ts'

/** A correct clock shows no earlier time. ISO 8601. */
const RELEASED = '2026-01-01T00:00:00.000Z'

/** What is known of a store that cannot be opened. */
const NO_STORE = { findings: [], newest: undefined }

/** Checks everything that a gateway on this home needs, and gives each finding when it is known. Changes nothing. */
export async function* examine(home: string, io: Io): AsyncGenerator<Finding> {
  const { homeAt, loadConfiguration } = await import('../../runtime.ts')
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { environment } = io
  const files = homeAt(home)
  const loaded = await loadConfiguration({ home, environment, capabilities: await programCapabilities(io) })
  const {
    capabilities,
    configuration: { gateway, model, models, providers },
  } = loaded
  const known = loaded.knownProviders
  const kept = await findHomeStore(home, io)
  const privateFiles = [
    files.configurationFile,
    files.toolAccessFile,
    files.contextToolAccessFile,
    files.data,
    files.tokenFile,
    ...(kept.database ? [] : [kept.path]),
  ]
  yield checkNode(process.versions.node)
  yield await checkHome(home)
  yield await checkPrivacy(privateFiles)
  const configuration = await checkConfiguration(loaded, files.configurationFile, io)
  yield* configuration
  const database = kept.database ? await checkDatabase(kept.database) : []
  yield* database
  const store = database.some(({ level }) => level === 'problem') ? NO_STORE : await checkStore(kept)
  yield* store.findings
  if (store.findings.every(({ level }) => level === 'ok')) {
    yield* await checkContents(kept)
    yield* await checkShared(home, loaded, io)
  }
  yield await checkDisk(home)
  yield await checkSizes(files.data, loaded.configuration)
  yield checkClock(new Date(), store.newest, RELEASED)
  yield await checkGateway(home, gateway)
  yield* await checkToken(home, gateway, io)
  const attached = createModels({ clock: systemClock, known, providers, models, environment })
  yield await checkModel(attached, model, waysToAttach(known))
  yield* await checkFallbacks(attached, models)
  yield* await checkNotes(attached, loaded)
  yield* checkPrices(loaded, systemClock.time().slice(0, 'YYYY-MM-DD'.length))
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
      findings.push(
        problem(name, phrase`the check failed: ${errorMessage(error)}`, phrase`Fix what the message names.`),
      )
    }
  }
  return findings
}

/** Prices and rules of caches in the configuration that contradict themselves, and prices that are no longer promised. */
function checkPrices(
  { configuration: { models, providers }, knownProviders }: LoadedConfiguration,
  today: string,
): readonly Finding[] {
  const hosts = Object.values(providers).map(({ baseURL = '' }) => URL.parse(baseURL)?.host)
  const ended = knownProviders
    .flatMap(({ catalog = [] }) => endedPromises(catalog, today))
    .filter(({ host }) => host === undefined || hosts.includes(host))
    .map(({ id, price }) => `${id} (${price.until})`)
  const old =
    ended.length === 0
      ? []
      : [
          warning(
            'prices',
            phrase`promised for a time that is over: ${ended.join(', ')}`,
            phrase`Upgrade Foreword, or set models."PROVIDER/MODEL".price in config.json.`,
          ),
        ]
  const wrong = Object.entries(models).flatMap(([id, facts]) =>
    priceProblems(facts, today).map((fault) =>
      warning(
        'prices',
        `models."${id}".${fault}`,
        phrase`Correct it in config.json; \`foreword models --prices\` shows all of them.`,
      ),
    ),
  )
  return [...wrong, ...old]
}

const NAMED = 5

/** What breaks caches or wastes room in prompts: one finding for each kind. No findings where no gateway can be asked. */
async function checkLint(checked: CheckedHome): Promise<readonly Finding[]> {
  if (checked.connection === undefined) return []
  try {
    return lintFindings(await readLintReport(checked))
  } catch (error) {
    return [warning('lint', phrase`not checked: ${errorMessage(error)}`, phrase`Fix what the message names.`)]
  }
}

function lintFindings({ findings, calls, unread }: LintReport): readonly Finding[] {
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  const codes = [...new Set(warnings.map(({ code }) => code))]
  const missed =
    unread === undefined ? [] : [warning('lint', phrase`the texts were not read: ${unread}`, phrase`Fix that first.`)]
  if (codes.length > 0)
    return [...codes.map((code) => codeFinding(warnings.filter((one) => one.code === code))), ...missed]
  return missed.length > 0
    ? missed
    : [ok('lint', phrase`nothing breaks caches or wastes room in ${countedText(calls, 'recorded call')}`)]
}

function codeFinding(findings: readonly LintFinding[]): Finding {
  const [{ code, message, cost, hint, where }, ...others] = findings as readonly [LintFinding, ...LintFinding[]]
  const all = phrase`See all with \`foreword check --lint\`.`
  if (others.length === 0) {
    return warning(
      'lint',
      `${code}: ${lintPlaceText(where)}: ${message}${cost ? ` ${phrase`Costs ${lintCostText(cost)}.`}` : ''}`,
      hint,
    )
  }
  const places = findings.map((one) => lintPlaceText(one.where))
  const costs = cost?.kind === 'sent' ? sumText(findings) : cost ? phrase`the dearest costs ${lintCostText(cost)}` : ''
  return warning('lint', `${code}: ${firstNames(places, NAMED)}${costs === '' ? '' : `; ${costs}`}`, all)
}

function sumText(findings: readonly LintFinding[]): string {
  const costs = findings.flatMap(({ cost }) => cost ?? [])
  const sum = (of: (cost: (typeof costs)[number]) => number) => costs.reduce((all, cost) => all + of(cost), 0)
  const isPriced = costs.every(({ money }) => money !== undefined)
  const isMonthly = costs.every(({ monthTokens }) => monthTokens !== undefined)
  return phrase`together ${lintCostText({
    kind: 'sent',
    tokens: sum(({ tokens }) => tokens),
    ...(isPriced ? { money: sum(({ money = 0 }) => money) } : {}),
    ...(isMonthly ? { monthTokens: sum(({ monthTokens = 0 }) => monthTokens) } : {}),
  })}`
}
