import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder with files by their paths, made in the order given, that is gone after the test. */
export function folderWith(context: TestContext, files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-skills-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  addTo(folder, files)
  return folder
}

/** More files in a folder. */
export function addTo(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** A `SKILL.md` with frontmatter. */
export function skillText(fields: string, body = 'Body.'): string {
  return `---\n${fields}\n---\n${body}\n`
}
