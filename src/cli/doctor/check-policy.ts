import type { Access } from '../../tool.ts'
import type { Finding, Io } from '../../capability.ts'
import { ok, problem, warning } from './finding.ts'

/** What may run, and whether that can be read at all: a faulty policy allows nothing. */
export async function checkPolicy(home: string, io: Io): Promise<readonly Finding[]> {
  const { accessFile, accessPlaces, readText } = await import('../../tool.ts')
  const { accessPlace } = await import('../../runtime.ts')
  const file = await accessPlace(home)
  const read = await accessFile(accessPlaces(home), io.environment, readText).current()
  if (read.type === 'access') {
    return [ok('policy', policyText(read.access)), ...(await checkPlaces(home))]
  }
  const hint = `Correct ${file}, or the environment variable that is named.`
  return read.problems.map((fault) => problem('policy', `no tool may run: ${fault}`, hint))
}

/** Whoever edits the file that does not count waits in vain. */
async function checkPlaces(home: string): Promise<readonly Finding[]> {
  const { accessPlaces, readText } = await import('../../tool.ts')
  const [own, inContext] = accessPlaces(home)
  const [first, second] = await Promise.all([readText(own), readText(inContext)])
  if (first.type === 'missing' || second.type === 'missing') return []
  return [warning('policy', `${inContext} does not count: ${own} does`, 'Keep one of the two.')]
}

function policyText({ global }: Access): string {
  if (!global.enabled) return 'all tools are switched off (global.enabled)'
  if (global.mode === 'off') return 'all tools are switched off (global.mode)'
  if (global.mode === 'full') return 'every tool may run that is not disabled (global.mode)'
  const { length } = global.allowedTools
  return `${length === 0 ? 'nothing' : length === 1 ? 'one name' : `${length} names`} on the allowlist`
}
