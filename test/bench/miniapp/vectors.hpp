// Points and fields of the mini-application: the small functions that C++ programs call most.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace mini {

template <class T>
class Point {
  public:
    Point() = default;
    Point(T x, T y) : x_(x), y_(y) {}
    T x() const { return x_; }
    T y() const { return y_; }
    Point& operator+=(const Point& other) {
        x_ += other.x_;
        y_ += other.y_;
        return *this;
    }

  private:
    T x_ = 0, y_ = 0;
};

template <class T>
Point<T> operator+(const Point<T>& a, const Point<T>& b) {
    return {a.x() + b.x(), a.y() + b.y()};
}
template <class T>
Point<T> operator-(const Point<T>& a, const Point<T>& b) {
    return {a.x() - b.x(), a.y() - b.y()};
}
template <class T>
Point<T> operator*(T factor, const Point<T>& a) {
    return {factor * a.x(), factor * a.y()};
}
template <class T>
T dot(const Point<T>& a, const Point<T>& b) {
    return a.x() * b.x() + a.y() * b.y();
}
template <class T>
T cross(const Point<T>& a, const Point<T>& b) {
    return a.x() * b.y() - a.y() * b.x();
}
template <class T>
T length(const Point<T>& a) {
    return std::sqrt(dot(a, a));
}

// Values on cells, nodes or particles.
template <class T>
class Field {
  public:
    explicit Field(std::size_t size = 0, T value = T()) : values_(size, value) {}
    T& operator[](std::size_t i) { return values_[i]; }
    const T& operator[](std::size_t i) const { return values_[i]; }
    std::size_t size() const { return values_.size(); }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }

  private:
    std::vector<T> values_;
};

// The numbers from 0 to count - 1, for loops over cells and similar.
class Range {
  public:
    class Iterator {
      public:
        explicit Iterator(std::size_t at) : at_(at) {}
        std::size_t operator*() const { return at_; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        std::size_t at_;
    };
    explicit Range(std::size_t count) : count_(count) {}
    Iterator begin() const { return Iterator(0); }
    Iterator end() const { return Iterator(count_); }

  private:
    std::size_t count_;
};

// The same random numbers on every machine.
class Random {
  public:
    explicit Random(unsigned long long seed) : state_(seed * 2 + 1) {}
    double uniform() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state_ >> 11) * 0x1p-53;
    }

  private:
    unsigned long long state_;
};

}  // namespace mini
