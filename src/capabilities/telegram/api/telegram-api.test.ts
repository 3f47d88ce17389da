import assert from 'node:assert/strict'
import test from 'node:test'
import { withoutToken, readFault } from './telegram-api.ts'

const TOKEN = '7000000001:a-token-that-nobody-may-read'

test('a limit says how long it lasts', () => {
  const limited = { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } }
  assert.deepEqual(readFault('sendMessage', limited, TOKEN), { type: 'limited', retryAfterMs: 3000 })
  const withoutTime = { error_code: 429, description: 'Too Many Requests' }
  assert.deepEqual(readFault('sendMessage', withoutTime, TOKEN), { type: 'limited', retryAfterMs: 5000 })
})

test('faults of the network and of the servers may pass', () => {
  const broken = { error_code: 502, description: 'Bad Gateway' }
  assert.deepEqual(readFault('getMe', broken, TOKEN), { type: 'unreachable', text: '502 Bad Gateway' })
  const reason = new Error('connect ECONNREFUSED 127.0.0.1:1')
  const wrapped = Object.assign(new Error('Network request failed'), {
    error: new TypeError('fetch failed', { cause: reason }),
  })
  assert.deepEqual(readFault('getMe', wrapped, TOKEN), { type: 'unreachable', text: reason.message })
  assert.deepEqual(readFault('getMe', undefined, TOKEN), { type: 'unreachable', text: 'undefined' })
})

test('whatever else is refused', () => {
  const fault = readFault('getMe', { error_code: 401, description: 'Unauthorized' }, TOKEN)
  assert.equal(fault.type === 'refused' && fault.refusal.message, 'Telegram refused getMe: 401 Unauthorized')
})

test('no form of a token is shown', () => {
  assert.equal(
    withoutToken(`request to https://a.example/bot${TOKEN}/getMe failed`, TOKEN),
    'request to https://a.example/bot[token]/getMe failed',
  )
  assert.equal(withoutToken(`/bot${encodeURIComponent(TOKEN)}/x\n y`, TOKEN), '/bot[token]/x y')
  assert.equal(withoutToken('/bot123456789:AAbbCCddEEffGGhhIIjjKK/x', ''), '/bot[token]/x')
})
