/**
 * A process that does jobs: each asks the model for twelve words and reads them.
 *
 *   node job-worker.ts LIBRARY FOLDER DATABASE MODEL CONCURRENCY
 */
import { Agent, request } from 'node:http'
import { openJobs } from './jobs.ts'

const [library, folder, database, model, concurrency] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const agent = new Agent({ keepAlive: true })
const { work } = await openJobs(library, folder, database)
await work(Number(concurrency), askModel)
process.stdout.write('ready\n')

function askModel(word: string): Promise<void> {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: `Say twelve words: ${word}` }] })
  return new Promise((resolve, reject) => {
    const outgoing = request(`${model}/chat/completions`, { method: 'POST', agent }, (answer) => {
      let text = ''
      answer.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
      answer.on('end', () => (text.includes('[DONE]') ? resolve() : reject(new Error(text))))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
