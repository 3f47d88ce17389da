import assert from 'node:assert/strict'
import test from 'node:test'
import { knownSecrets } from './known-secrets.ts'

const KEY = 'sk-proj-7Fq2Zx9Lw4Tn8Vb3Kd6Hs1Rj5'
const { redact } = knownSecrets({ THE_KEY: KEY, PASSWORD: 'correct-horse-staple', SHORT: 'ab1' })

test('a secret is found in every form, at each place of base64, and with line breaks in it', () => {
  const written = [
    KEY,
    Buffer.from(KEY).toString('hex'),
    Buffer.from(KEY).toString('hex').toUpperCase(),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${KEY}!`).toString('base64')),
    Buffer.from(`a${KEY}`).toString('base64url'),
    Buffer.from(KEY)
      .toString('base64')
      .replace(/(.{20})/g, '$1\n'),
  ]
  for (const text of written) {
    const clean = redact(`before ${text} after`)
    assert.match(clean, /^before \S{0,5}\[THE_KEY\]\S{0,4} after$/, text)
  }
})

test('a secret with escaped characters, in UTF-16 or in both is found, and taken out whole', () => {
  const { find, findInBytes } = knownSecrets({ THE_KEY: KEY })
  const escaped = (write: (code: string) => string, every = 1) =>
    Array.from(KEY, (sign, at) => (at % every === 0 ? write(sign.charCodeAt(0).toString(16)) : sign)).join('')
  const wide = Buffer.from(KEY, 'utf16le')
  const written = [
    ...[1, 2, 5].map((every) => escaped((code) => `\\u00${code}`, every)),
    escaped((code) => `\\u00${code.toUpperCase()}`),
    escaped((code) => `\\\\\\\\u00${code}`),
    escaped((code) => `\\x${code}`),
    escaped((code) => `\\u{${code}}`),
    ...[1, 3].map((every) => escaped((code) => `%${code}`, every)),
    escaped((code) => `%2525${code}`),
    escaped((code) => `&#x${code};`),
    escaped((code) => `&#${Number.parseInt(code, 16)};`),
    escaped((code) => `&#${Number.parseInt(code, 16)}`),
    escaped((code) => `&#x0${code};`),
    escaped((code) => `&amp;amp;#x${code};`),
    ...[1, 3].map((every) => escaped((code) => `%u00${code}`, every)),
    ...[1, 3].map((every) => escaped((code) => `\\${Number.parseInt(code, 16).toString(8).padStart(3, '0')}`, every)),
    escaped((code) => `\\\\${Number.parseInt(code, 16).toString(8).padStart(3, '0')}`),
    escaped((code) => `\\${Number.parseInt(code, 16).toString(8)}`),
    wide.toString('latin1').slice(0, -1),
    wide.swap16().toString('latin1').slice(1),
    KEY.split('').join('\0\0\0'),
    KEY.split('').join('\\u0000'),
    ...['', 'a', 'ab'].map((before) =>
      Buffer.concat([Buffer.from(before), Buffer.from(KEY, 'utf16le')]).toString('base64'),
    ),
    Buffer.from(KEY)
      .toString('base64')
      .replaceAll(/[A-Z]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  ]
  for (const text of written) {
    const long = `${'%20é \\u001b[0m &#39; '.repeat(4_000)}${text} after`
    assert.equal(find(long), 'THE_KEY', text)
    assert.equal(findInBytes(Buffer.from(long)), 'THE_KEY', text)
    assert.match(redact(`before ${text} after`), /^before \S{0,6}\[THE_KEY\]\S{0,6} after$/, text)
  }
  for (const text of ['%73%6b-proj', '\\u0073k-', '100 %41%', '\\\\'.repeat(50_000)]) {
    assert.equal(redact(text), text)
    assert.equal(findInBytes(Buffer.from(text)), undefined)
  }
})

test('what is found in a text is found in its bytes, wherever it is, and nothing else', () => {
  const { find, findInBytes } = knownSecrets({ THE_KEY: KEY, PASSWORD: 'correct-horse-stäple' })
  const parts = [KEY, KEY.slice(0, 18), KEY.slice(-18), KEY.slice(0, 6), 'correct-horse-stäple', 'correct', 'stäple']
  const coded = parts.flatMap((part) => [part, JSON.stringify(part), Buffer.from(part).toString('base64')])
  for (const part of [...coded, 'words of nobody']) {
    for (let before = 0; before < 40; before += 1) {
      const text = `${'sköne 東 '.repeat(8).slice(0, before)}${part}${'é-k'.repeat(before % 3)}`
      assert.equal(findInBytes(Buffer.from(text)), find(text), text)
    }
  }
  assert.equal(findInBytes(new Uint8Array()), undefined)
  assert.equal(knownSecrets().findInBytes(Buffer.from(KEY)), undefined)
})

test('half of a secret is none: its beginning and its end are found alone', () => {
  assert.equal(redact(`x ${KEY.slice(0, 18)} y`), 'x [THE_KEY] y')
  assert.equal(redact(`x ${KEY.slice(-18)} y`), 'x [THE_KEY] y')
  assert.equal(redact(`x ${KEY.slice(0, 12)} …`), 'x [THE_KEY] …')
  assert.equal(
    redact(`x ${KEY.slice(0, 10)}\n...[truncated: 12 of 90 characters shown]`).includes(KEY.slice(0, 10)),
    false,
  )
})

test('ordinary words that are a part of a secret stay', () => {
  const text = 'Keys begin with sk-proj- there. That is correct; the horse is a staple. ab1'
  assert.equal(redact(text), text)
  assert.equal(redact('it is correct-horse-staple!'), 'it is [PASSWORD]!')
})

test('secrets that stand side by side, or in each other, are all taken out', () => {
  const both = knownSecrets({ ONE: 'aaaa1111bbbb2222', TWO: 'cccc3333dddd4444', INNER: '1111bbbb' })
  assert.equal(both.redact('aaaa1111bbbb2222cccc3333dddd4444aaaa1111bbbb2222'), '[ONE][TWO][ONE]')
})

test('a secret that is learned later is taken out from then on', () => {
  const known = knownSecrets()
  assert.equal(known.redact(KEY), KEY)
  known.learn('later', KEY)
  assert.equal(known.redact(`${KEY} ${KEY}`), '[later] [later]')
})
