import type { CompletionEvent } from '../../../capability.ts'
import type { AnswerCitation } from '../../../citation.ts'
import type { AnswerEvent } from '../../../server.ts'
import { type AnswerBlock, type AnswerEnd, blockReader } from './anthropic-answer.ts'

export function answerCollector() {
  const content: AnswerBlock[] = []
  const calls: string[] = []
  const citations: AnswerCitation[] = []
  let finish: Extract<CompletionEvent, { type: 'finish' }> | undefined
  let open: { readonly type: 'text' | 'thinking'; text: string } | undefined
  const blocks = blockReader({
    begin: (type) => void (open = { type, text: '' }),
    add: (_type, text) => void (open!.text += text),
    end(signature) {
      const { type, text } = open!
      content.push(type === 'text' ? { type, text } : { type, thinking: text, signature })
    },
    whole: (block) => void content.push(block),
  })
  const note = (event: AnswerEvent) => {
    if (event.type === 'call-start') calls.push(event.call)
    else if (event.type === 'citations') citations.push(...event.citations)
    else if (event.type === 'finish') finish = event
  }
  return {
    note,
    add(event: AnswerEvent): void {
      if (!blocks.add(event)) note(event)
    },
    answer(): AnswerEnd & { readonly content: readonly AnswerBlock[] } {
      blocks.end()
      return { content, finish, calls, citations }
    },
  }
}
