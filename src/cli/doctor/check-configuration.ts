import type { LoadedConfiguration } from '../../runtime.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Each mistake is a finding of its own. */
export function checkConfiguration({ problems, origins }: LoadedConfiguration, file: string): readonly Finding[] {
  if (problems.length === 0) {
    const set = Object.keys(origins).length
    return [ok('configuration', set === 0 ? 'all defaults' : `${set} ${set === 1 ? 'key' : 'keys'} set, all valid`)]
  }
  return problems.map(({ key, place, message, mend }) => {
    const told = [key, message].filter((text) => text !== '').join(' ')
    return problem('configuration', `${place}: ${told}`, mend === '' ? `Correct it in ${file}.` : mend)
  })
}
