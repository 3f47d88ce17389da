import assert from 'node:assert/strict'
import test from 'node:test'
import { answerHeaders, returningAnswer } from './returning-answer.ts'

const target = { server: new URL('https://api.example/v1'), base: '/v1', path: '/v1/models' }
const added = Object.entries(answerHeaders).flat()

function back(headers: readonly string[], status = 200, other = target) {
  const answer = returningAnswer({ status, headers }, { target: other, prefix: '/through/openai' })
  return 'refuse' in answer ? answer.refuse.message : answer.headers.slice(0, -added.length)
}

test('every answer is data: it has the headers that let no browser show or run it', () => {
  const answer = returningAnswer({ status: 200, headers: [] }, { target, prefix: '/through/openai' })
  assert.deepEqual(answer, { headers: added })
  assert.equal(answerHeaders['content-security-policy'], "sandbox; default-src 'none'; frame-ancestors 'none'")
  assert.equal(answerHeaders['x-content-type-options'], 'nosniff')
  assert.equal(answerHeaders['cross-origin-resource-policy'], 'same-origin')
})

test('what programs read comes back as it came, and what browsers obey does not', () => {
  const read = [
    ['Content-Type', 'text/event-stream'],
    ['content-encoding', 'gzip'],
    ['Content-Length', '5'],
    ['Date', 'Sat, 28 Nov 2026 00:00:00 GMT'],
    ['request-id', 'r'],
    ['X-Request-Id', 'r'],
    ['retry-after', '1'],
    ['x-should-retry', 'false'],
    ['anthropic-ratelimit-requests-remaining', '1'],
    ['x-ratelimit-reset-tokens', '1s'],
    ['openai-processing-ms', '1'],
    ['ETag', 'x'],
    ['x-models-etag', 'x'],
    ['x-reasoning-included', 'true'],
    ['cf-ray', 'x'],
    ['x-accel-buffering', 'no'],
    ['X-Odd', 'one'],
    ['x-ODD', 'two'],
    ['content-disposition', 'attachment'],
  ].flat()
  const obeyed = `
    set-cookie Set-Cookie2 clear-site-data refresh service-worker-allowed strict-transport-security alt-svc www-authenticate
    content-security-policy Content-Security-Policy-Report-Only x-content-security-policy x-webkit-csp x-content-type-options
    cross-origin-resource-policy cross-origin-opener-policy cross-origin-embedder-policy origin-agent-cluster origin-trial
    access-control-allow-origin access-control-allow-credentials timing-allow-origin link speculation-rules report-to
    reporting-endpoints nel permissions-policy feature-policy document-policy referrer-policy accept-ch critical-ch sourcemap
    x-sourcemap x-frame-options x-xss-protection cache-control public-key-pins expect-ct set-login sec-session-registration
    secure-session-registration activate-storage-access use-as-dictionary attribution-reporting-register-source
    x-accel-redirect x-accel-expires x-sendfile x-sendfile-type x-lighttpd-send-file cdn-cache-control surrogate-control
    connection-allowlist allow-csp-from delegate-ch edge-control edge-cache-tag p3p cloudflare-cdn-cache-control
    observe-browsing-topics x-dns-prefetch-control supports-loading-mode integrity-policy x-foreword-token
    x-permitted-cross-domain-policies connection keep-alive transfer-encoding upgrade trailer proxy-authenticate
  `
    .trim()
    .split(/\s+/)
  assert.deepEqual(back([...read, ...obeyed.flatMap((name) => [name, 'x'])]), read)
  assert.deepEqual(back(['Connection', 'x-hop', 'X-Hop', '1', 'a', 'b']), ['a', 'b'])
})

test('a place below the address of the provider becomes one at the gateway, and no other is passed on', () => {
  const elsewhere = /api\.example answered that this call belongs to another address/
  const table: readonly (readonly [location: string, there: string | RegExp])[] = [
    ['/v1/models/', '/through/openai/models/'],
    ['https://api.example/v1/models?x=1', '/through/openai/models?x=1'],
    ['https://API.example:443/v1', '/through/openai'],
    ['//api.example/v1/x', '/through/openai/x'],
    ['models/x', '/through/openai/models/x'],
    ['?page=2', '/through/openai/models?page=2'],
    ...[
      'https://evil.example/v1/models',
      '//evil.example/v1/models',
      '\\\\evil.example/v1',
      '/\\evil.example/v1',
      'http://api.example/v1/models',
      'https://api.example:8443/v1/models',
      'https://api.example@evil.example/v1',
      'https://u:p@api.example/v1/models',
      'https://evil.example#@api.example/v1',
      'javascript:alert(1)',
      'data:text/html,x',
      '/',
      '/admin',
      '/v1beta/models',
      '/v1/../admin',
      '/v1/%2e%2e/admin',
      '/v1/..%2fadmin',
      '/v1/%252e%252e/admin',
      '/v1//evil.example',
      'https://',
      ' https://evil.example',
    ].map((location) => [location, elsewhere] as const),
  ]
  for (const [location, there] of table) {
    for (const status of [301, 302, 303, 307, 308]) {
      const answer = back(['Location', location], status)
      if (typeof there === 'string') assert.deepEqual(answer, ['Location', there], location)
      else assert.match(String(answer), there, location)
    }
    // Nobody goes there by itself.
    assert.deepEqual(back(['Location', location], 201), typeof there === 'string' ? ['Location', there] : [], location)
  }
  assert.match(String(back(['location', '/v1/x', 'Location', 'https://evil.example'], 307)), elsewhere)
  assert.deepEqual(back([], 304), [])
  const bare = { server: new URL('http://127.0.0.1:11434'), base: '', path: '/api/tags' }
  assert.deepEqual(back(['location', '/api/tags/'], 307, bare), ['location', '/through/openai/api/tags/'])
})
