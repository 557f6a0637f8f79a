// What the tests use of node, whose own types would be a package more.
declare module "node:assert/strict";
declare module "node:test";
