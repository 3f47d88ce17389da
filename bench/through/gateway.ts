/** A gateway over a home of the benchmark. Prints its address and its token. */
import { createForeword } from '../../src/foreword.ts'

const foreword = await createForeword({
  home: process.env['BENCH_HOME']!,
  configuration: { providers: { anthropic: { kind: 'anthropic', baseURL: `${process.env['BENCH_VENDOR']}/v1` } } },
  environment: { OLLAMA_HOST: '127.0.0.1:1' },
})
const { url } = await foreword.listen({ port: 0 })
console.log(`${url} ${foreword.token}`)
process.on('SIGTERM', () => void foreword.close().then(() => process.exit(0)))
