import { resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'

/** What a module exports to have its store tested. */
interface StoreModule {
  createStore?: () => TokenStore | Promise<TokenStore>
  contents?: (store: TokenStore) => unknown
  close?: () => unknown
}

// Runs the contract against the store of a module: npm run test:store -- ./my-store
async function main([path]: readonly string[]): Promise<void> {
  if (path === undefined) throw new Error('Name the module of your store: npm run test:store -- ./my-store')
  const { createStore, contents, close }: StoreModule = await import(pathToFileURL(require.resolve(resolve(path))).href)
  if (createStore === undefined) throw new Error(`${path} exports no function createStore`)
  await describe(path, () => {
    after(() => close?.())
    tokenStoreContract({ describe, it }, createStore, contents && { contents })
  })
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
