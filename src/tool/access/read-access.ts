import type { Access, AccessRead, ShellAccess } from './access.ts'
import { SHELL_DEFAULTS, SHELL_LIMITS } from './access-shape.ts'
import { parseAccess, type WrittenAccess } from './access-text.ts'
import { shellKnobs } from './shell-knobs.ts'
import { toolSetting } from './tool-setting.ts'

/**
 * The policy that `tool-access.json` and the environment make, with every default in its place. No text, or a blank one,
 * is all defaults. Anything wrong, and there is no policy: then nothing may run (BEHAVIOURS §2.3). Never throws.
 */
export function readAccess(
  text: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): AccessRead {
  const written = parseAccess(text ?? '')
  const knobs = shellKnobs(environment)
  const problems = [...written.problems, ...knobs.problems]
  if (problems.length > 0) return { type: 'faulty', problems }
  return { type: 'access', access: settled(written.value, knobs.values) }
}

/** What was written has been checked against `accessShape`, which these types follow. */
function settled({ global = {}, tools = {} }: WrittenAccess, knobs: Readonly<Record<string, unknown>>): Access {
  const { shell: shellWritten, ...others } = tools
  const asked = shellWritten?.['approval'] === undefined ? toolSetting(others, 'shell', 'approval') : undefined
  const shell = {
    ...SHELL_DEFAULTS,
    ...(asked && { approval: asked.value, approvalRule: asked.rule }),
    ...shellWritten,
    ...knobs,
  } as ShellAccess
  return {
    global: { enabled: true, mode: 'allowlist', allowedTools: [], ...global },
    tools: Object.fromEntries(Object.entries(others).map(([name, said]) => [name, { ...said }])),
    shell: {
      ...shell,
      timeoutMs: Math.min(shell.timeoutMs, SHELL_LIMITS.timeoutMs),
      maxOutputChars: Math.min(shell.maxOutputChars, SHELL_LIMITS.maxOutputChars),
    },
  }
}
