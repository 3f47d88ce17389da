import type { ShellAccess } from './access.ts'
import { shellShape } from './access-schema.ts'

/** What environment variables say over single settings of the shell, and what is wrong with them (BEHAVIOURS §2.4). */
export interface ShellKnobs {
  readonly values: Partial<ShellAccess>
  readonly problems: readonly string[]
}

/** The setting of each variable, and what its text means. What means nothing stays a text, which is then found wrong. */
const KNOBS = {
  SHELL_TOOL_ENABLED: [
    'enabled',
    (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()] ?? text,
  ],
  SHELL_TOOL_MODE: ['mode', (text) => text],
  SHELL_TOOL_TIMEOUT_MS: ['timeoutMs', countOf],
  SHELL_TOOL_MAX_OUTPUT_CHARS: ['maxOutputChars', countOf],
  SHELL_TOOL_ALLOWED_PREFIXES: [
    'allowedPrefixes',
    (text) =>
      text
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
  ],
} as const satisfies Record<string, readonly [keyof typeof shellShape.shape, (text: string) => unknown]>

/** Reads them. An empty variable says nothing. */
export function shellKnobs(environment: Readonly<Record<string, string | undefined>>): ShellKnobs {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [variable, [name, meaning]] of Object.entries(KNOBS)) {
    const text = environment[variable]?.trim() ?? ''
    if (text === '') continue
    const { data, error } = shellShape.shape[name].safeParse(meaning(text))
    if (error) problems.push(`${variable} ${error.issues[0]!.message}`)
    else values[name] = data
  }
  return { values, problems }
}

function countOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}
