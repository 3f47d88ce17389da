import type { LintReport, AnyCapability } from '../../capability.ts'
import type { LintFinding, VolatileSpot } from '../../context.ts'
import { requestJson } from '../answer.ts'
import { checkContext, type CheckedHome } from '../check-context.ts'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

/** What the gateway finds, with what its capabilities find, and with files and lines. Needs a connection. */
export async function readLintReport(checked: CheckedHome): Promise<LintReport> {
  const { capabilities, connection } = checked
  const { inOrder } = await import('../../context.ts')
  const parts = capabilities.flatMap((capability) => {
    const part = capability.reports?.lint
    return part ? [{ capability, part }] : []
  })
  const tools = parts.flatMap(({ part }) => part.tools).join(',')
  const report = await requestJson<LintReport>(connection!, `/api/lint?${new URLSearchParams({ tools }).toString()}`)
  const more: LintFinding[] = []
  for (const { capability, part } of parts) {
    more.push(...(await part.findings({ ...(await checkContext(capability, checked)), report })))
  }
  return { ...report, findings: await findFiles(inOrder([...report.findings, ...more]), checked) }
}

/** The most files of the owner that are read, and the largest of them, bytes. */
const MOST_FILES = 500
const LARGEST_FILE = 256 * 1024

/** Adds the file and its line to findings about texts of files, where exactly that text stands in one. */
async function findFiles(findings: readonly LintFinding[], checked: CheckedHome): Promise<readonly LintFinding[]> {
  if (!findings.some(isAboutText)) return findings
  const { volatileSpots } = await import('../../context.ts')
  const files: { readonly path: string; readonly spots: readonly VolatileSpot[] }[] = []
  for (const path of await ownersFiles(findings, checked)) {
    const text = await readFile(path, 'utf8').catch(() => '')
    files.push({ path, spots: volatileSpots(text) })
  }
  const taken = new Set<VolatileSpot>()
  return findings.map((finding) => {
    if (!isAboutText(finding)) return finding
    const { ref = '', excerpt } = finding.where
    for (const { path, spots } of files.toSorted((one, other) => rank(one.path, ref) - rank(other.path, ref))) {
      const spot = spots.find((one) => one.excerpt === excerpt && !taken.has(one))
      if (spot === undefined) continue
      taken.add(spot)
      return { ...finding, where: { ...finding.where, file: path, line: spot.line } }
    }
    return finding
  })
}

function isAboutText({ code, where }: LintFinding): boolean {
  return code === 'volatile-text' && where.layer !== undefined
}

/** The file that the layer names comes first. */
function rank(path: string, ref: string): number {
  return path.endsWith(ref) || basename(path) === basename(ref) ? 0 : 1
}

/** The files that findings name, and what capabilities declare as files of the owner. */
async function ownersFiles(
  findings: readonly LintFinding[],
  { home, configuration, capabilities }: CheckedHome,
): Promise<readonly string[]> {
  const { capabilitySettings } = await import('../../runtime.ts')
  const named = findings.flatMap(({ where: { ref } }) => (ref === undefined ? [] : [ref]))
  const first = named.flatMap((ref) => [join(home, ref), join(configuration.agent.workspace, basename(ref))])
  const declared = capabilities.flatMap((each: AnyCapability) => {
    const settings: unknown = capabilitySettings(configuration, each)
    return each.home?.places?.(settings, home).readOnly ?? []
  })
  const found = new Set<string>()
  for (const path of [...first, ...declared]) {
    for await (const file of textFiles(path)) {
      if (found.size >= MOST_FILES) return [...found]
      found.add(file)
    }
  }
  return [...found]
}

/** A text that prompts may have, or those in a folder and in the folders in it. */
async function* textFiles(path: string, depth = 2): AsyncGenerator<string> {
  const facts = await stat(path).catch(() => undefined)
  if (facts?.isFile() && facts.size <= LARGEST_FILE && ['.md', '.txt', '.json'].includes(extname(path))) yield path
  if (!facts?.isDirectory() || depth === 0) return
  for (const name of (await readdir(path).catch(() => [])).toSorted((one, other) => (one < other ? -1 : 1))) {
    if (!name.startsWith('.')) yield* textFiles(join(path, name), depth - 1)
  }
}
