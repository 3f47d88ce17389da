import assert from 'node:assert/strict'
import { asText, type ChannelCase, eventually, longReply, waitBriefly, wordsIn } from './channel-cases-world.ts'
import type { ScriptedReply } from './scripted-model.ts'

/** Cases with restarts, failing disks and failing services. */
export function restartCases(channelCase: ChannelCase): void {
  channelCase('a message is on disk before the channel acknowledges it', async (world) => {
    const reached = Promise.withResolvers<void>()
    const disk = Promise.withResolvers<void>()
    let isSlow = false
    const { send, pair, answered } = await world.open({
      async before(written) {
        if (!isSlow || (written !== 'inbox' && written !== 'input')) return
        reached.resolve()
        await disk.promise
      },
    })
    await pair('4001')
    isSlow = true
    let acknowledged = false
    const said = send('4001', 'question-1').then(() => (acknowledged = true))
    await reached.promise
    await waitBriefly()
    const early = acknowledged
    disk.resolve()
    await said
    assert.equal(early, false)
    assert.deepEqual(await answered('4001', 1), ['answer-1'])
  })

  channelCase('a message that is delivered twice starts one turn, even after a restart', async (world) => {
    const first = await world.open()
    await first.pair('4001')
    await first.send('4001', 'question-1', { update: 71 })
    await first.answered('4001', 1)
    await first.send('4001', 'question-1', { update: 71 })
    await first.send('4001', 'question-2', { update: 72 })
    await first.answered('4001', 2)
    await first.close()
    const second = await world.open()
    await second.send('4001', 'question-1', { update: 71 })
    await second.send('4001', 'question-2', { update: 72 })
    await second.send('4001', 'question-3', { update: 73 })
    await second.answered('4001', 3)
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-2', 'answer-3'])
    assert.equal(world.requests.length, 3)
  })

  channelCase('a message that was accepted but not processed is processed after a restart', async (world) => {
    let isFull = false
    const first = await world.open({
      before(written) {
        if (isFull && written === 'input') throw new Error('the disk is full')
      },
    })
    await first.pair('4001')
    isFull = true
    await Promise.race([first.send('4001', 'question-1'), waitBriefly(300)])
    await first.close()
    const second = await world.open()
    assert.deepEqual(await second.answered('4001', 1), ['answer-1'])
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1'])
  })

  channelCase('a restart between a message and its answer loses no message and repeats no answer', async (world) => {
    const first = await world.open({ answer: () => hanging })
    await first.pair('4001', '4002')
    await first.send('4001', 'question-1')
    await first.send('4002', 'question-2')
    await first.send('4001', 'question-3')
    await eventually('two questions to the model', () => world.requests.length === 2)
    await first.close()
    const second = await world.open()
    assert.deepEqual(await second.answered('4001', 2), ['answer-1', 'answer-3'])
    assert.deepEqual(await second.answered('4002', 1), ['answer-2'])
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-3'])
  })

  channelCase('a reply that was sent but not recorded is not sent again after a restart', async (world) => {
    let lost = 0
    const first = await world.open({
      before(written) {
        if (written !== 'delivered') return
        lost += 1
        throw new Error('the process dies here')
      },
    })
    await first.pair('4001')
    await first.send('4001', 'question-1')
    await first.answered('4001', 1)
    await eventually('the end of the delivery', () => lost > 0)
    await first.close()
    const second = await world.open()
    await second.send('4001', 'question-2')
    await second.answered('4001', 2)
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-2'])
  })

  for (const restarts of [false, true]) {
    const name = `a long reply that was interrupted continues where it stopped${restarts ? ', after a restart' : ''}`
    channelCase(name, async (world) => {
      const words = longReply(world.fixture.longest)
      const answer = () => ({ text: asText(words) })
      let at = await world.open({ answer })
      if (!at.fail) return
      await at.pair('4001')
      const before = (await at.sentMessages('4001')).length
      at.fail(1)
      await at.send('4001', 'question-1')
      await eventually('the first part', async () => (await at.sentMessages('4001')).length > before)
      await waitBriefly()
      if (restarts) {
        await at.close()
        at = await world.open({ answer })
      }
      at.fail?.(undefined)
      const received = async () => (await at.sentMessages('4001')).slice(before)
      await eventually('the whole reply', async () => (await received()).join(' ').includes(words.at(-1)!))
      await waitBriefly()
      assert.deepEqual(wordsIn(await received()), words)
    })
  }

  channelCase('a gateway closes while its model and its service hang, and resumes at the next start', async (world) => {
    const first = await world.open({
      answer: (said) => (said.includes('1') ? { text: 'answer-1' } : hanging),
    })
    await first.pair('4001', '4002')
    first.fail?.(0)
    await first.send('4001', 'question-1')
    await first.send('4002', 'question-2')
    await eventually('two questions to the model', () => world.requests.length === 2)
    let isClosed = false
    void first.close().then(() => (isClosed = true))
    await eventually('the end of the gateway', () => isClosed)
    const second = await world.open()
    second.fail?.(undefined)
    assert.deepEqual(await second.answered('4001', 1), ['answer-1'])
    assert.deepEqual(await second.answered('4002', 1), ['answer-2'])
  })
}

/** A model that has started its answer and sends nothing. */
const hanging: ScriptedReply = { text: 'answer-0', before: () => new Promise(() => {}) }
