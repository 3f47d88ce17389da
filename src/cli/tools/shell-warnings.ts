import type { Io } from '../../capability.ts'

/** What is odd about a shell that was just allowed: no command that may run, or some that lead to every other one. */
export async function shellWarnings(file: string, io: Io): Promise<readonly string[]> {
  const { accessFile, prefixRisk, readText } = await import('../../tool.ts')
  const read = await accessFile([file], io.environment, readText).current()
  if (read.type === 'faulty' || read.access.shell.mode !== 'allowlist') return []
  const { allowedPrefixes, approval } = read.access.shell
  if (allowedPrefixes.length === 0) {
    return [
      `shell may run no command yet: tools.shell.allowedPrefixes in ${file} names those that may, such as ["ls", "pwd"]`,
    ]
  }
  if (approval === 'ask') return []
  return allowedPrefixes.flatMap((prefix) => {
    const risk = prefixRisk(prefix)
    return risk === undefined
      ? []
      : [
          `the prefix ${JSON.stringify(prefix)} lets a model do more than it says: ${risk}. Take it out, or set tools.shell.approval to "ask" in ${file}`,
        ]
  })
}
