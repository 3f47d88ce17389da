// Writes the generated part of `docs/`: reference/, house.svg, the drawing in house.md, and llms.txt.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './docs/generated-files.ts'

const root = dirname(import.meta.dirname)
const files = generatedFiles(root)

rmSync(join(root, 'docs', 'reference'), { recursive: true, force: true })
for (const [path, text] of files) {
  const file = join(root, 'docs', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
