// Everything a user of weft needs.
#pragma once

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/nn/init.h>
#include <weft/nn/layers.h>
#include <weft/optim/adagrad.h>
#include <weft/optim/adam.h>
#include <weft/optim/clip.h>
#include <weft/optim/schedule.h>
#include <weft/optim/sgd.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/control.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/module.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/scope.h>
#include <weft/tensor/sync.h>
#include <weft/tensor/tensor.h>
