import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AbstractChat, type ChatState, type ChatStatus, DefaultChatTransport, type UIMessage } from 'ai'
import { realGateway } from './end-to-end/gateway.ts'

/** What `useChat` keeps for its page. */
class PlainState implements ChatState<UIMessage> {
  messages: UIMessage[] = []
  status: ChatStatus = 'ready'
  error: Error | undefined = undefined
  pushMessage = (message: UIMessage): void => void (this.messages = [...this.messages, message])
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1))
  replaceMessage = (index: number, message: UIMessage): void =>
    void (this.messages = this.messages.with(index, message))
  snapshot = <Value>(value: Value): Value => structuredClone(value)
}

class PlainChat extends AbstractChat<UIMessage> {}

test('regenerate of useChat makes a sibling of the answer, and an edited message one of the message', async (t) => {
  let answers = 0
  const gateway = await realGateway(t, { answer: () => ({ text: `Answer ${(answers += 1)}.` }) })
  const headers = { authorization: `Bearer ${gateway.token}` }
  const transport = new DefaultChatTransport<UIMessage>({ api: `${gateway.url}/api/chat`, headers })
  const chat = new PlainChat({ id: 'talk', transport, state: new PlainState() })
  const texts = () =>
    chat.messages.map(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''))

  await chat.sendMessage({ text: 'One?' })
  await chat.sendMessage({ text: 'Two?' })
  await chat.regenerate()
  assert.equal(chat.error, undefined)
  assert.deepEqual(texts(), ['One?', 'Answer 1.', 'Two?', 'Answer 3.'])
  await chat.regenerate()
  await chat.sendMessage({ text: 'Three?' })
  assert.deepEqual(texts(), ['One?', 'Answer 1.', 'Two?', 'Answer 4.', 'Three?', 'Answer 5.'])
  const sent = JSON.stringify(gateway.provider.requests.at(-1)!.body)
  assert.match(sent, /Answer 1\..*Answer 4\./)
  assert.doesNotMatch(sent, /Answer [23]\./)

  await chat.sendMessage({ text: 'Two, differently?', messageId: chat.messages[2]!.id })
  assert.deepEqual(texts(), ['One?', 'Answer 1.', 'Two, differently?', 'Answer 6.'])

  const { sessions } = await gateway.curl<{ sessions: readonly { id: string }[] }>('/api/sessions')
  const session = sessions[0]!.id
  const replay = await gateway.curl<{ calls: number; identical: number }>(`/api/sessions/${session}/replay`)
  assert.deepEqual([replay.calls, replay.identical], [6, 6])
  const listed = await gateway.foreword('sessions', 'branches', session)
  assert.match(listed.stdout, /last turn .*message/)
  assert.equal(listed.stdout.trim().split('\n').length, 5)
  const from = (await gateway.curl<{ turns: readonly { turn: string }[] }>(`/api/sessions/${session}/turns`)).turns.at(
    -1,
  )!
  const said = await gateway.foreword('send', 'Elsewhere?', '--session', session, '--from', from.turn)
  assert.match(said.stdout, /Answer 7\./)
  assert.match(JSON.stringify(gateway.provider.requests.at(-1)!.body), /One\?.*Answer 1\..*Elsewhere\?/)
  assert.doesNotMatch(JSON.stringify(gateway.provider.requests.at(-1)!.body), /Two/)
})
