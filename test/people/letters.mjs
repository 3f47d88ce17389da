import { appendFileSync } from 'node:fs'

/** A tool with an effect that can be counted: a line in the file that FOREWORD_TEST_LETTERS names. */
const letter = {
  name: 'send_letter',
  description: 'Sends a letter.',
  inputSchema: { type: 'object' },
  async execute(input) {
    appendFileSync(process.env.FOREWORD_TEST_LETTERS, `${JSON.stringify(input)}\n`)
    return { ok: true, output: 'The letter is on its way.' }
  },
}

export default { name: 'letters', version: '1.0.0', tools: () => [letter] }
