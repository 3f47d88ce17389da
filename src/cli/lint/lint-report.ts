import type { LintReport } from '../../capability.ts'
import type { LintFinding } from '../../context.ts'
import { requestJson } from '../answer.ts'
import { checkContext, type CheckedHome } from '../doctor/check-context.ts'
import { findFiles } from './find-files.ts'

/** What the gateway finds, with what its capabilities find, and with files and lines. Needs a connection. */
export async function readLintReport(checked: CheckedHome): Promise<LintReport> {
  const { capabilities, connection } = checked
  const { inOrder } = await import('../../context.ts')
  const parts = capabilities.flatMap((capability) => (capability.lint ? [{ capability, part: capability.lint }] : []))
  const tools = parts.flatMap(({ part }) => part.tools).join(',')
  const report = await requestJson<LintReport>(connection!, `/api/lint?${new URLSearchParams({ tools }).toString()}`)
  const more: LintFinding[] = []
  for (const { capability, part } of parts) {
    more.push(...(await part.findings({ ...(await checkContext(capability, checked)), report })))
  }
  return { ...report, findings: await findFiles(inOrder([...report.findings, ...more]), checked) }
}
