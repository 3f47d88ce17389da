import { accessShape, type Field, type ObjectField } from './access-shape.ts'
import { faultOf } from './access-text.ts'

/** What environment variables say over single settings of the shell, and what is wrong with them (BEHAVIOURS §2.4). */
export interface ShellKnobs {
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

const KNOBS = {
  SHELL_TOOL_ENABLED: 'enabled',
  SHELL_TOOL_MODE: 'mode',
  SHELL_TOOL_TIMEOUT_MS: 'timeoutMs',
  SHELL_TOOL_MAX_OUTPUT_CHARS: 'maxOutputChars',
  SHELL_TOOL_ALLOWED_PREFIXES: 'allowedPrefixes',
} as const

/** Reads them. An empty variable says nothing. */
export function shellKnobs(environment: Readonly<Record<string, string | undefined>>): ShellKnobs {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [variable, name] of Object.entries(KNOBS)) {
    const text = environment[variable]?.trim() ?? ''
    if (text === '') continue
    const field = shellFields[name]!
    const value = valueOf(text, field)
    const fault = faultOf(value, field)
    if (fault === undefined) values[name] = value
    else problems.push(`${variable} ${fault}`)
  }
  return { values, problems }
}

const shellFields = ((accessShape.fields['tools'] as ObjectField).fields['shell'] as ObjectField).fields as Readonly<
  Record<string, Exclude<Field, ObjectField>>
>

/** What a text means. Where it means nothing it stays a text, which is then found wrong. */
function valueOf(text: string, field: Field): unknown {
  switch (field.kind) {
    case 'switch':
      return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text
    case 'count':
      return /^\d+$/.test(text) ? Number(text) : text
    case 'words':
      return text
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '')
    default:
      return text
  }
}
