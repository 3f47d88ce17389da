import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toModelError } from './provider-failure.ts'
import { UnexpectedAnswer } from './wire-fetch.ts'

function failure(statusCode: number, body: unknown) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body)
  return toModelError({ statusCode, responseBody }, { provider: 'p', model: 'm', secrets: [] }, 0)
}

function answered(body: unknown) {
  const answer = new UnexpectedAnswer('application/json', JSON.stringify(body))
  return toModelError(answer, { provider: 'p', model: 'm', secrets: [] }, 0)
}

const noCredit = 'You exceeded your current quota, please check your plan and billing details.'

for (const [name, status, message, code] of [
  ['no credit', 429, noCredit, 'quota'],
  ['requests of a minute, in the words of no credit', 429, `${noCredit} Please retry in 36.5s.`, 'rate-limit'],
  [
    'tokens of a minute, with a link to billing',
    429,
    'Rate limit reached for m on tokens per min. Visit https://platform.openai.com/account/billing to raise it.',
    'rate-limit',
  ],
  ['a tool whose name has to do with bills', 400, "Invalid schema for function 'read_billing'.", 'bad-request'],
  ['an account that is not active', 429, 'Your account is not active, please check your billing details.', 'quota'],
] as const) {
  test(`a refusal is what it says: ${name}`, () => assert.equal(failure(status, { error: { message } }).code, code))
}

test('a wait that is given as "retry in" is kept to', () => {
  const { facts } = failure(429, { error: { message: `${noCredit} Please retry in 36.5s.` } })
  assert.equal(facts.retryAfterMs, 36_500)
})

test('a page of a proxy is named by its title, or by its text where it has none', () => {
  const page = '<html>\r\n<head><title>502 Bad Gateway</title></head><body><h1>502</h1><hr>nginx</body></html>'
  assert.match(failure(502, page).message, / It said: 502 Bad Gateway$/)
  assert.match(
    failure(502, '<html><body><h1>No  upstream</h1><p>nginx</p></body></html>').message,
    /: No upstream nginx$/,
  )
  assert.equal(failure(502, `<html>${'tides '.repeat(5000)}</html>`).facts.detail?.length, 200)
})

test('an error with status 200 is the error that it names', () => {
  assert.equal(answered({ error: { message: 'No endpoints found for m.', code: 404 } }).code, 'model-not-found')
  assert.equal(answered({ error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }).code, 'rate-limit')
  assert.equal(answered({ error: { message: 'Overloaded', type: 'overloaded_error' } }).code, 'server')
  assert.equal(answered({ id: 'c', object: 'chat.completion', code: 404 }).code, 'unexpected-answer')
})
