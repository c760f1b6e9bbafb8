/** Creates routers whose paths are case-sensitive, because proxies limit networks by the same paths. */
import express, { type Express, type IRoute, type RequestHandler, Router, type RouterOptions } from 'express'
import { RequestRefused } from '../domain/base/errors.ts'

export const createRouter = (options: RouterOptions = {}): Router =>
  Router({ caseSensitive: true, ...options })

export const createExpress = (): Express => express().disable('x-powered-by').enable('case sensitive routing')

/** Refuses the methods that no handler of the route accepts. */
export function refuseMethod({ stack }: IRoute): RequestHandler {
  // Express responds to HEAD like to GET.
  const allowed = [...new Set(stack.map(({ method }) => method))]
    .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase()))
    .join(', ')
  return (_req, res) => {
    res.setHeader('Allow', allowed)
    const message = `This path does not support the method. Choose from: ${allowed}.`
    throw new RequestRefused({ code: 'method_not_allowed', message })
  }
}
