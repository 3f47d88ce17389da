import type { LoadedConfiguration } from '../../runtime.ts'
import type { Io } from '../io.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Each mistake is a finding of its own, and so is each thing that is odd where there is none. */
export async function checkConfiguration(
  loaded: LoadedConfiguration,
  file: string,
  { environment }: Pick<Io, 'environment'>,
): Promise<readonly Finding[]> {
  const { configurationWarnings } = await import('../../runtime.ts')
  const { problems, origins } = loaded
  const odd = await configurationWarnings(loaded, environment)
  const set = Object.keys(origins).length
  const all = set === 0 ? 'all defaults' : `${set} ${set === 1 ? 'key' : 'keys'} set, all valid`
  return [
    ...(problems.length === 0 ? [ok('configuration', all)] : []),
    ...problems.map((each) => problem('configuration', messageOf(each), each.hint || `Correct it in ${file}.`)),
    ...odd.map((each) => warning('configuration', messageOf(each), each.hint)),
  ]
}

function messageOf({ key, place, message }: LoadedConfiguration['problems'][number]): string {
  return `${place}: ${[key, message].filter((text) => text !== '').join(' ')}`
}
