/**
 * Approval tiers (SPEC §2): `read < write < exec`. A tool declares exactly one, and it decides which surfaces can see
 * the tool.
 */
import { Schema } from "effect"

/** The tiers, weakest first. */
export const tiers = ["read", "write", "exec"] as const

/**
 * - `read`: no side effects on the user's files
 * - `write`: changes files
 * - `exec`: starts or steers a process
 */
export const Tier = Schema.Literals(tiers)
export type Tier = (typeof tiers)[number]

/** The tiers that a surface with the cap `Cap` shows. */
export type UpTo<Cap extends Tier> = Cap extends "read" ? "read" : Cap extends "write" ? "read" | "write" : Tier

/** Whether a tool of this tier is within the cap. */
export const isWithin = (tier: Tier, cap: Tier): boolean => tiers.indexOf(tier) <= tiers.indexOf(cap)

/** The weaker of two caps. */
export const min = (a: Tier, b: Tier): Tier => (isWithin(a, b) ? a : b)
