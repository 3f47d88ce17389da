import assert from 'node:assert/strict'
import test from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a template is made, listed, filled in and removed in the terminal', async (context) => {
  const { environment } = temporaryHome(context)
  const foreword = (...words: string[]) => run(words, { environment })
  const text = 'Review {{what}} for {{reader:a beginner}}. Be {{tone:formal|friendly}}.'
  const made = await foreword('templates', 'new', 'review', '--text', text)
  assert.match(made.stderr, /^Created review \(template_/)
  assert.match((await foreword('templates')).stdout, /review +Review \{\{what\}\} for/)
  const filled = await foreword('templates', 'fill', 'rev', 'what=the plan', 'tone=friendly')
  assert.deepEqual(filled, { code: 0, stdout: 'Review the plan for a beginner. Be friendly.\n', stderr: '' })
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['reader=me', /Without a value: what\.[^]*Add "what=…"/],
    ['wht=x', /review has no field wht\.[^]*Did you mean what\?/],
    ['tone=rude', /tone cannot be "rude"\.[^]*Choose one of formal, friendly\./],
    ['what', /what is not FIELD=VALUE\./],
  ]
  for (const [word, sentence] of refusals) {
    const refused = await foreword('templates', 'fill', 'review', word)
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, sentence)
  }
  assert.match((await foreword('templates', 'new', 'two words', '--text', 'x')).stderr, /name: must be one word/)
  assert.match((await foreword('templates', 'new', 'blank', '--text', ' ')).stderr, /text: needs a text/)
  assert.match((await foreword('templates', 'delete', 'review')).stderr, /Undo with `foreword templates restore/)
})

test('a chat in the terminal lists the templates with their fields, and sends one filled in', async (context) => {
  const { environment } = temporaryHome(context)
  const chat = (input: string) => run(['chat'], { environment, input })
  assert.match((await chat('/template\n')).stdout, /No templates yet\. Make one with `foreword templates new NAME/)
  const text = 'Review {{what}} for {{reader:a beginner}}. Be {{tone:formal|friendly}}.'
  await run(['templates', 'new', 'review', '--text', text], { environment })
  const listed = await chat(
    '/template\n/template review tone=friendly\n/template review "what=the plan" tone=friendly\n',
  )
  assert.match(listed.stdout, /review {2}what=… {2}reader=a beginner {2}tone=formal\|friendly/)
  assert.match(listed.stderr, /Without a value: what\.[^]*Add "what=…"/)
  const shown = await run(['sessions', 'show', 'last'], { environment })
  assert.match(shown.stdout, /Review the plan for a beginner\. Be friendly\./)
})
