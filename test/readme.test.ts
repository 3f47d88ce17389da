import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readAccess } from '../src/tool.ts'
import { cellsOf } from './guide/written-table.ts'
import { openedHome } from './home/opened-home.ts'
import { presetsInGuide, tableOfPresets } from './tool/preset-table.ts'

const root = join(import.meta.dirname, '..')
const example = join(root, 'examples/00-twelve-lines.ts')
const run = promisify(execFile)

test('the twelve lines in the README are the example, and print the outline below them', async () => {
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

test('the loop in the guide to the agent is the example, and prints the output below it', async () => {
  const guide = await readFile(join(root, 'docs/guide/agent-loop.md'), 'utf8')
  const file = join(root, 'examples/05-agent-loop.ts')
  const source = await readFile(file, 'utf8')
  const { stdout } = await run(process.execPath, ['--conditions=foreword-source', file], { cwd: root })
  const [code] = [...guide.matchAll(/```ts\n([^]*?)\n```/g)].map(([, shown]) => shown!)
  assert.ok(code && source.endsWith(`${code}\n`), 'docs/guide/agent-loop.md shows another code than the example')
  assert.ok(guide.includes(`\`\`\`\n${stdout.trimEnd()}\n\`\`\``), stdout)
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

test('the guide has every preset of commands, with what it allows and what it does not stop', () => {
  assert.deepEqual(cellsOf(presetsInGuide.inGuide()), cellsOf(tableOfPresets()))
})

test('every policy that a page shows is read, and uses presets where others would use free prefixes', async () => {
  const pages = await Array.fromAsync(glob(['*.md', 'docs/**/*.md'], { cwd: root }))
  const shown: string[] = []
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, block] of text.matchAll(/```jsonc?\n([^]*?)```/g)) {
      if (!/"allowedTools"|"allowedPrefixes"|"presets"/.test(block!)) continue
      shown.push(page)
      const read = readAccess(block, {})
      assert.equal(read.type, 'access', `${page}: ${JSON.stringify(read)}`)
      const { allowedPrefixes } = read.access.shell
      assert.deepEqual(allowedPrefixes, [], page)
    }
  }
  assert.deepEqual(shown, ['docs/guide/tools.md', 'docs/guide/tools.md'])
})

test('the guide names every reader that is offered without an allowlist', async (t) => {
  const guide = await readFile(join(root, 'docs/guide/tools.md'), 'utf8')
  const paragraph = /^Some readers need no permission.*$/m.exec(guide)![0]
  const named = [...paragraph.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name!)
  const here = await openedHome(
    t,
    { 'skills/alpha/SKILL.md': '# Alpha\n' },
    { skills: { contextMode: 'readOnDemand' } },
  )
  const readers = (await here.runtime.tools()).filter(({ rule }) => rule === 'reads-context')
  assert.deepEqual([...new Set(named)].toSorted(), readers.map(({ name }) => name).toSorted())
})
