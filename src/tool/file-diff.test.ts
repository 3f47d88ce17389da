import assert from 'node:assert/strict'
import test from 'node:test'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { fileDiff } from './file-diff.ts'

test('lines that both texts begin with are counted, and the difference is the same as without that', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? '' : `line ${at}`))
  const before = lines.join('\n')
  const afters = [
    `${before}\nmore\n`,
    `${before}more`,
    before.replace('line 1\n', ''),
    before.replace('line 16', 'line 16\r\n\n'),
    lines.toSpliced(4, 1, 'other').toSpliced(28, 1).join('\n'),
    lines.toSpliced(0, 1).join('\n'),
    lines.slice(0, 7).join('\n'),
    `\n\n${before}`,
    '',
  ]
  for (const after of afters) {
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const) {
      const whole = createTwoFilesPatch('a/x', 'b/x', from, to, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      })
      assert.equal(await fileDiff('x', from, to), whole)
    }
  }
})

test('a new file is all added, and too many changes are counted instead of shown', async () => {
  assert.equal(
    await fileDiff('x', undefined, 'a\nb'),
    '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
  )
  const counted = await fileDiff('x', 'a\n', `a\n${'b\n'.repeat(2_001)}`)
  assert.equal(counted, '--- a/x\n+++ b/x\n[too many changes to show: 1 lines become 2002]\n')
})
