import { test } from 'node:test'
import { providerCases } from '../../testing.ts'
import { anthropic } from './anthropic.ts'

providerCases(test, { provider: anthropic, model: 'claude-sonnet-5-5' })
