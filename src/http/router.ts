/** Creates routers whose paths are case-sensitive, because proxies limit networks by the same paths. */
import express, { type Express, Router, type RouterOptions } from 'express'

export const createRouter = (options: RouterOptions = {}): Router =>
  Router({ caseSensitive: true, ...options })

export const createExpress = (): Express => express().disable('x-powered-by').enable('case sensitive routing')
