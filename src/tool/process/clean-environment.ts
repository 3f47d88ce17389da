import { delimiter, isAbsolute } from 'node:path'

/** The variables that a program needs; none of them is a secret. Others that begin with `LC_` may be: servers of SSH let them in. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|TZ|TMPDIR|SHELL|LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME))$/

/** Without these no program starts on Windows, where the case of a name does not count. */
const KEPT_ON_WINDOWS = new Set([
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'USERPROFILE',
  'TEMP',
  'TMP',
])

/**
 * What Git runs of its own accord, or at the word of a repository, does not run: hooks, a file system monitor, a pager, a
 * folder that only looks like a repository, an address that names a program. What only reads takes no lock, and nothing
 * waits for somebody who types a password.
 */
const GIT_SETTINGS = {
  'safe.bareRepository': 'explicit',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'protocol.ext.allow': 'never',
}

const FOR_GIT = {
  GIT_CONFIG_COUNT: String(Object.keys(GIT_SETTINGS).length),
  ...Object.fromEntries(
    Object.entries(GIT_SETTINGS).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
}

/** What every program receives beside the paths and the language of its owner. */
export const OWN_ENVIRONMENT: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  FOREWORD_TOOL: '1',
  ...FOR_GIT,
}

/**
 * An environment for programs that a model starts: paths and language, and no keys, and settings that make Git run nothing
 * but itself. Settings of Foreword do not pass either; `FOREWORD_TOOL=1` tells our own command that a tool has called it. Entries of `PATH` that
 * depend on the folder are left out, so that no file of a workspace can pass for a program. `extra` is added as it is.
 */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const kept = Object.entries(environment).flatMap(([name, value]) => {
    // `Path` and `SystemRoot` are written in many ways there; elsewhere a name is exactly itself.
    const onWindows = process.platform === 'win32' ? name.toUpperCase() : ''
    const isKept = KEPT.test(name) || KEPT_ON_WINDOWS.has(onWindows)
    if (value === undefined || !isKept) return []
    if (name !== 'PATH' && onWindows !== 'PATH') return [[name, value] as const]
    const folders = value.split(delimiter).filter((folder) => isAbsolute(folder))
    return [[name, folders.join(delimiter)] as const]
  })
  return { ...Object.fromEntries(kept), ...OWN_ENVIRONMENT, ...extra }
}
