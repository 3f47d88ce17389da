import type { Access, AccessRead } from './access.ts'
import { globalShape, SHELL_LIMITS, shellShape } from './access-schema.ts'
import { parseAccess, type WrittenAccess } from './access-text.ts'
import { shellKnobs, type ShellKnobs } from './shell-knobs.ts'
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

function settled(
  { global, tools: { shell: shellWritten, ...tools } = {} }: WrittenAccess,
  knobs: ShellKnobs['values'],
): Access {
  const asked = shellWritten?.approval === undefined ? toolSetting(tools, 'shell', 'approval') : undefined
  const shell = {
    approval: 'never' as const,
    ...(asked && { approval: asked.value, approvalRule: asked.rule }),
    ...shellShape.parse({ ...shellWritten, ...knobs }),
  }
  return {
    global: globalShape.parse({ ...global }),
    tools: Object.fromEntries(Object.entries(tools).map(([name, said]) => [name, { ...said }])),
    shell: {
      ...shell,
      timeoutMs: Math.min(shell.timeoutMs, SHELL_LIMITS.timeoutMs),
      maxOutputChars: Math.min(shell.maxOutputChars, SHELL_LIMITS.maxOutputChars),
    },
  }
}
