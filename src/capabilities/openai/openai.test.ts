import { test } from 'node:test'
import { providerCases } from '../../testing.ts'
import { openai } from './openai.ts'

providerCases(test, { provider: openai, model: 'gpt-5.4' })
providerCases(test, { provider: openai, model: 'gpt-5.1', configuration: { api: 'responses' } })
