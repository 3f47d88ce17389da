import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
const example = join(root, 'examples/00-twelve-lines.ts')
const run = promisify(execFile)

test('the twelve lines in the README are the example, and print the outline that stands below them', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const source = (await readFile(example, 'utf8')).trimEnd()
  const { stdout } = await run(process.execPath, ['--conditions=foreword-source', example], { cwd: root })

  assert.ok(
    readme.includes(`\`\`\`ts\n${source}\n\`\`\``),
    'README.md shows another code than examples/00-twelve-lines.ts',
  )
  assert.ok(
    readme.includes(`\`\`\`\n${stdout.trimEnd()}\n\`\`\``),
    'README.md shows another outline than the example prints',
  )
  assert.ok(source.split('\n').filter((line) => line.trim() !== '').length <= 12)
})

test('the loop in the guide to the library is the one of the example', async () => {
  const guide = await readFile(join(root, 'docs/guide/library.md'), 'utf8')
  const source = await readFile(join(root, 'examples/01-assemble-only.ts'), 'utf8')
  const shown = [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code!)
  assert.notDeepEqual(shown, [])
  for (const code of shown)
    assert.ok(source.includes(code), 'docs/guide/library.md shows another code than the example')
})

test('every file that a page points to is there', async () => {
  const pages = await Array.fromAsync(glob(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: root }))
  assert.ok(pages.includes('README.md') && pages.length > 10)
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
      await assert.doesNotReject(stat(join(root, page, '..', target!)), `${page} points to ${target}`)
    }
  }
})
