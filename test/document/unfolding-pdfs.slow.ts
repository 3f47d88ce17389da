import assert from 'node:assert/strict'
import test from 'node:test'
import { pdfFile, unfoldingPdf } from './files/pdf-file.ts'
import { readerOf, readingProcesses, until } from './opened-reader.ts'
import { systemClock } from '../../src/platform.ts'

test('four PDFs of 750 bytes hold one reader at most once they took too long, and no file of others', async (context) => {
  const bytes = unfoldingPdf()
  assert.ok(bytes.length < 800, `${bytes.length} bytes`)
  const reader = readerOf(context, { clock: systemClock, limits: { timeMs: 3000 } })
  const order: string[] = []
  const read = async (owner: string, file: Buffer) => {
    const document = await reader.read({ bytes: file, name: 'a.pdf', owner })
    order.push(`${owner}: ${document.kind === 'unreadable' ? document.code : document.kind}`)
  }
  const attack = Array.from({ length: 4 }, () => read('attacker', bytes))
  await until(() => readingProcesses().length === 2)
  await read('one', pdfFile(['Hello.']))
  // While the third one is read, the other reader is free for anyone else.
  for (const owner of ['two', 'three', 'four']) await read(owner, pdfFile(['Hello.']))
  await Promise.all(attack)
  const others = ['one: text', 'two: text', 'three: text', 'four: text']
  assert.deepEqual(
    order.filter((each) => !each.startsWith('attacker')),
    others,
  )
  assert.deepEqual(order.slice(-2), ['attacker: timeout', 'attacker: timeout'])
  assert.equal(order.length, 8)
})
