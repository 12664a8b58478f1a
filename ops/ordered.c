/* A treap (Aragon and Seidel, 1989): a search tree that is a heap by rank, where ranks are as good
 * as random. */
#include "ops/ordered.h"

#include <stdbool.h>
#include <stdint.h>

static bool is_before(const ct__ordered *x, size_t key, size_t tie)
{
    return x->key != key ? x->key < key : x->tie < tie;
}

/* A hash of the place in the order (the finaliser of SplitMix64): the shape of the tree depends on
 * its members alone. */
static uint64_t rank(const ct__ordered *x)
{
    uint64_t h = (uint64_t)x->key ^ (uint64_t)x->tie * 0x9E3779B97F4A7C15u;

    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return h ^ h >> 31;
}

static void update(ct__ordered *x)
{
    x->furthest = x->end;
    if (x->left && x->left->furthest > x->furthest)
        x->furthest = x->left->furthest;
    if (x->right && x->right->furthest > x->furthest)
        x->furthest = x->right->furthest;
}

/* What lies before `at`, and the rest. */
static void split(ct__ordered *root, const ct__ordered *at, ct__ordered **before,
                  ct__ordered **after)
{
    if (!root) {
        *before = *after = NULL;
        return;
    }
    if (is_before(root, at->key, at->tie)) {
        split(root->right, at, &root->right, after);
        *before = root;
    } else {
        split(root->left, at, before, &root->left);
        *after = root;
    }
    update(root);
}

/* All of a lies before all of b. */
static ct__ordered *merge(ct__ordered *a, ct__ordered *b)
{
    if (!a || !b)
        return a ? a : b;
    ct__ordered *top = rank(a) > rank(b) ? a : b;
    if (top == a)
        a->right = merge(a->right, b);
    else
        b->left = merge(a, b->left);
    update(top);
    return top;
}

void ct__ordered_insert(ct__ordered **root, ct__ordered *member)
{
    ct__ordered *top = *root;

    if (!top || rank(member) > rank(top)) {
        split(top, member, &member->left, &member->right);
        *root = member;
    } else {
        ct__ordered_insert(is_before(top, member->key, member->tie) ? &top->right : &top->left,
                           member);
    }
    update(*root);
}

void ct__ordered_remove(ct__ordered **root, const ct__ordered *member)
{
    ct__ordered *top = *root;

    if (top == member) {
        *root = merge(top->left, top->right);
        return;
    }
    ct__ordered_remove(is_before(top, member->key, member->tie) ? &top->right : &top->left, member);
    update(top);
}

ct__ordered *ct__ordered_from(ct__ordered *root, size_t key, size_t tie)
{
    ct__ordered *found = NULL;

    while (root) {
        bool before = is_before(root, key, tie);
        found = before ? found : root;
        root = before ? root->right : root->left;
    }
    return found;
}

ct__ordered *ct__ordered_before(ct__ordered *root, size_t key, size_t tie)
{
    ct__ordered *found = NULL;

    while (root) {
        bool before = is_before(root, key, tie);
        found = before ? root : found;
        root = before ? root->right : root->left;
    }
    return found;
}

/* A subtree that ends after `begin`, and all of which begins before `end`, has an overlap: each
 * visit leads to one, but for those along one path. */
size_t ct__ordered_overlap(const ct__ordered *root, size_t begin, size_t end, size_t except)
{
    if (!root || root->furthest <= begin)
        return SIZE_MAX;
    size_t first = ct__ordered_overlap(root->left, begin, end, except);
    if (root->key >= end)
        return first;
    if (root->end > begin && root->tie != except && root->tie < first)
        first = root->tie;
    size_t right = ct__ordered_overlap(root->right, begin, end, except);
    return right < first ? right : first;
}
