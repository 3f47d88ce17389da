import type { GatewayConnection, Finding, Io } from '../../capability.ts'
import { exactLine, phrase } from '../../context.ts'
import { errorMessage } from '../../platform.ts'
import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import type { Access } from '../../tool.ts'
import { requestJson } from '../answer.ts'
import { toolAccess, fetchTools } from '../tools/tool-table.ts'
import { firstNames, ok, problem, warning } from './finding.ts'

/** Checks that the tool policy can be read; one that cannot allows no tool. */
export async function checkPolicy(home: string, io: Io): Promise<readonly Finding[]> {
  const { accessFile, accessPaths, readText } = await import('../../tool.ts')
  const { accessFilePath } = await import('../../runtime.ts')
  const file = await accessFilePath(home)
  const read = await accessFile(accessPaths(home), io.environment, readText).current()
  if (read.type === 'access') {
    return [ok('policy', policyText(read.access)), ...(await checkPlaces(home)), await checkSandbox(read.access, file)]
  }
  const hint = phrase`Correct ${file}, or the environment variable that the message names.`
  return read.problems.map((fault) => problem('policy', phrase`no tool may run: ${fault}`, hint))
}

/** Warns of two policy files, because editing the one that is not read has no effect. */
async function checkPlaces(home: string): Promise<readonly Finding[]> {
  const { accessPaths, readText } = await import('../../tool.ts')
  const [own, inContext] = accessPaths(home)
  const [first, second] = await Promise.all([readText(own), readText(inContext)])
  if (first.type === 'missing' || second.type === 'missing') return []
  return [warning('policy', phrase`${inContext} is not read, because ${own} exists`, phrase`Keep one of the two.`)]
}

/** Whether programs that tools run are confined on this machine. */
export async function checkSandbox({ sandbox }: Access, file: string): Promise<Finding> {
  const { findSandbox, missingWalls } = await import('../../tool.ts')
  if (!sandbox.enabled) {
    const message = phrase`switched off: programs that tools run can read and change what you can`
    return warning('sandbox', message, phrase`Remove sandbox.enabled from ${file}.`)
  }
  const found = await findSandbox()
  if (found.type === 'none') return warning('sandbox', `none: ${found.why}. ${WITHOUT[sandbox.withoutIt]}`, found.hint)
  const { network, readable, writable } = sandbox
  const more = [
    ...(writable.length > 0 ? [phrase`may also change ${writable.join(', ')}`] : []),
    ...(readable.length > 0 ? [phrase`may also read ${readable.join(', ')}`] : []),
    ...(network.length > 0 ? [phrase`may use the network with your approval: ${network.join(', ')}`] : []),
  ]
  const missing = missingWalls(found)
  const text = [phrase`programs have the workspace and no network`, ...more, ...missing].join('; ')
  if (missing.length === 0) return ok('sandbox', text)
  return warning(
    'sandbox',
    text,
    phrase`Update the kernel and bubblewrap (0.8 or newer), or allow seccomp in the container.`,
  )
}

const WITHOUT = {
  ask: phrase`A program runs only after you approve it`,
  run: phrase`Programs run without one (sandbox.withoutIt)`,
  refuse: phrase`No program runs (sandbox.withoutIt)`,
} as const

function policyText({ global }: Access): string {
  if (!global.enabled) return phrase`all tools are switched off (global.enabled)`
  if (global.mode === 'off') return phrase`all tools are switched off (global.mode)`
  if (global.mode === 'full') return phrase`every tool that is not disabled may run (global.mode)`
  const { length } = global.allowedTools
  if (length === 0) return phrase`nothing on the allowlist`
  return length === 1 ? phrase`one name on the allowlist` : phrase`${length} names on the allowlist`
}

/** Counts the tools a model may call; reports changed definitions, and warnings of the gateway that are not in `reported`. */
export async function checkTools(
  opened: GatewayConnection | Error,
  reported: readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    if (opened instanceof Error) throw opened
    const tools = await fetchTools(opened)
    const { warnings } = await requestJson<Pick<RuntimeStatus, 'warnings'>>(opened, '/api/status')
    return [...toolFindings(tools), ...gatewayFindings(warnings, reported)]
  } catch (error) {
    const message = errorMessage(error)
    return [
      problem(
        'tools',
        phrase`the tools cannot be listed: ${message}`,
        phrase`Fix what the message names, then run \`foreword doctor\` again.`,
      ),
    ]
  }
}

function toolFindings(tools: readonly ToolStatus[]): readonly Finding[] {
  const count = (word: string) => tools.filter((tool) => toolAccess(tool) === word).length
  const withheld = tools.filter((tool) => tool.withheld !== undefined)
  return [
    ok('tools', phrase`${count('allowed')} allowed, ${count('asks')} with your approval, ${count('refused')} refused`),
    ...askingText(tools).map((text) => ok('tools', text)),
    ...withheld.map(({ name }) =>
      warning(
        'tools',
        phrase`${name} is not offered, because its definition has changed since it was accepted`,
        phrase`Show the difference and accept it with \`foreword tools accept ${name}\`.`,
      ),
    ),
  ]
}

function askingText(tools: readonly ToolStatus[]): readonly string[] {
  const always = tools.filter((tool) => toolAccess(tool) === 'asks').map(({ name }) => name)
  const later = tools
    .filter((tool) => toolAccess(tool) === 'allowed' && tool.afterUntrusted?.value === 'ask')
    .map(({ name, afterUntrusted }) => {
      if (afterUntrusted?.addresses) return phrase`${name} (addresses that nobody named)`
      return afterUntrusted?.unlessConfined ? phrase`${name} (programs that are not confined to the workspace)` : name
    })
  return [
    ...(always.length > 0 ? [phrase`you are asked about each call of ${nameList(always)}`] : []),
    ...(later.length > 0 ? [phrase`you are asked after the model has read foreign text: ${nameList(later)}`] : []),
  ]
}

const MOST_NAMED = 12

function nameList(names: readonly string[]): string {
  return firstNames(names.map(exactLine), MOST_NAMED)
}

/** Leaves out the warnings that another check has reported: of the configuration, the policy or a capability. */
function gatewayFindings(warnings: readonly string[], reported: readonly Finding[]): readonly Finding[] {
  const isReported = (text: string) =>
    reported.some(({ check, message }) => text.startsWith(message) || text.startsWith(`${check}: ${message}`))
  return warnings
    .filter((text) => !text.startsWith('tool-access.json: ') && !isReported(text))
    .map((text) =>
      warning(
        'gateway',
        text,
        phrase`Fix what the warning names, then run \`foreword reload\`. A change of config.json needs a restart.`,
      ),
    )
}
