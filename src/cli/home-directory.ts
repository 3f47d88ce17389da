import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where everything of this run lies: `--home`, else `FOREWORD_HOME`, else `~/.foreword`. An absolute path. */
export function homeDirectory(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const named = option ?? environment.FOREWORD_HOME
  if (named === undefined || named === '') return join(environment.HOME ?? homedir(), '.foreword')
  return resolve(named.startsWith('~/') ? join(environment.HOME ?? homedir(), named.slice(2)) : named)
}
